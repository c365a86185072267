"""The file types people ask for most, for when there is no ripgrep to know them."""

from __future__ import annotations

from tools.contract import ToolError

TYPES = {
    "c": ("*.[chH]", "*.[chH].in", "*.cats"),
    "cpp": ("*.[ChH]", "*.[ch]pp", "*.[ch]xx", "*.cc", "*.hh", "*.inl"),
    "cs": ("*.cs",),
    "css": ("*.css", "*.scss"),
    "go": ("*.go",),
    "html": ("*.html", "*.htm", "*.ejs"),
    "java": ("*.java", "*.jsp", "*.jspx", "*.properties"),
    "js": ("*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue"),
    "json": ("*.json", "composer.lock", "*.sarif"),
    "kotlin": ("*.kt", "*.kts"),
    "lua": ("*.lua",),
    "md": ("*.md", "*.markdown", "*.mdown", "*.mdwn", "*.mdx", "*.mkd", "*.mkdn"),
    "php": ("*.php", "*.php3", "*.php4", "*.php5", "*.php7", "*.php8", "*.pht", "*.phtml"),
    "py": ("*.py", "*.pyi"),
    "ruby": ("*.rb", "*.rbw", "*.gemspec", "*.rake", "Gemfile", "Rakefile", "config.ru", ".irbrc"),
    "rust": ("*.rs",),
    "sh": ("*.sh", "*.bash", "*.zsh", "*.ksh", "*.csh", "*.bashrc", ".profile", ".bash_profile", ".zshrc", ".zshenv"),
    "sql": ("*.sql", "*.psql"),
    "swift": ("*.swift",),
    "toml": ("*.toml", "Cargo.lock"),
    "ts": ("*.ts", "*.tsx", "*.cts", "*.mts"),
    "txt": ("*.txt",),
    "xml": ("*.xml", "*.xsd", "*.xsl", "*.xslt", "*.dtd", "*.rng", "*.sch", "*.xhtml", "*.xjb"),
    "yaml": ("*.yaml", "*.yml"),
}
# Ripgrep's second names.
SAME = {"python": "py", "typescript": "ts", "markdown": "md"}


def names_of_type(kind: str) -> tuple[str, ...]:
    names = TYPES.get(SAME.get(kind, kind))
    if names is None:
        raise ToolError(f"unrecognized file type: {kind}. Known here: {', '.join(TYPES)}")
    return names
