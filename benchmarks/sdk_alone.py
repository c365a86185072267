"""What ours is compared with: the SDK reading the same stream, and nothing done with it. Prints its seconds of CPU."""

import asyncio
import sys
import time

import anthropic


async def read(url: str) -> float:
    async with anthropic.AsyncAnthropic(api_key="none", base_url=url, max_retries=0) as client:
        asked = {"model": "claude-opus-5-5", "max_tokens": 1000}
        for words in ("hello", "flood"):
            started = time.process_time()
            stream = await client.messages.create(stream=True, messages=[{"role": "user", "content": words}], **asked)
            async for _ in stream:
                pass
        return time.process_time() - started


if __name__ == "__main__":
    print(asyncio.run(read(sys.argv[1])))
