"""Settings: where they lie, what they may say, how they are joined, and whom the person trusts."""
