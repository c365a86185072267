"""Programs that also have options which write, run or connect: the options of theirs that do not.

Each row holds for GNU's, the BSDs' and busybox' program of that name. A letter that takes a value on one of them and
none on another is left out unless both are harmless.
"""

from __future__ import annotations

import re

from tools.bash.judge.options import Known, known

WITH_OPTIONS: dict[str, Known] = {
    # -o, --output and --compress-program write and run; -T writes elsewhere.
    "sort": known(
        "bcCdfghiMmnrRsuVz", "ktS",
        "numeric-sort reverse unique key= field-separator= ignore-case human-numeric-sort version-sort stable "
        "month-sort general-numeric-sort zero-terminated check check= ignore-leading-blanks dictionary-order "
        "random-sort merge sort= buffer-size= parallel= batch-size= debug ignore-nonprinting random-source=",
    ),
    # The second operand is written to.
    "uniq": known(
        "cdDuiz", "fsw",
        "count repeated unique ignore-case skip-fields= skip-chars= check-chars= zero-terminated all-repeated "
        "all-repeated= group group=",
        operands=1,
    ),
    # -l starts pr.
    "diff": known(
        "abBcdeEiNnpqrstTuwyZ", "UCxXILWF",
        "unified unified= context context= brief recursive side-by-side ignore-case ignore-all-space "
        "ignore-space-change ignore-blank-lines ignore-tab-expansion ignore-trailing-space new-file text "
        "unidirectional-new-file report-identical-files suppress-common-lines exclude= exclude-from= width= color "
        "color= minimal strip-trailing-cr label= no-dereference expand-tabs initial-tab left-column normal ed rcs "
        "show-c-function show-function-line= ignore-matching-lines= speed-large-files starting-file= from-file= "
        "to-file= ignore-file-name-case suppress-blank-empty tabsize= horizon-lines= palette= line-format= "
        "old-line-format= new-line-format= unchanged-line-format= old-group-format= new-group-format= "
        "changed-group-format= unchanged-group-format=",
        digits=True,
    ),
    # --diff-program runs.
    "diff3": known("aAeEimTxX3", "L", "text ed easy-only merge show-all show-overlap overlap-only strip-trailing-cr"),
    # -o writes.
    "sdiff": known("abBdEiltsWZ", "w", "ignore-case ignore-all-space ignore-blank-lines suppress-common-lines width="),
    # -o writes, on the BSDs.
    "base64": known("dDi", "wb", "decode wrap= ignore-garbage", operands=1),
    "base32": known("d", "w", "decode wrap= ignore-garbage", operands=1),
    # -C compiles, -p sets times, -z starts programs.
    "file": known(
        "bhiIkLNnrsv0", "eFPf",
        "brief mime mime-type mime-encoding dereference no-dereference keep-going raw no-pad no-buffer extension "
        "exclude= separator= files-from= print0 special-files apple parameter=",
    ),
    # -o writes.
    "shuf": known("erz", "in", "echo input-range= head-count= repeat zero-terminated random-source="),
    "iconv": known("cls", "ft", "from-code= to-code= list silent"),
    # --pre, --search-zip and --hostname-bin run.
    "rg": known(
        "aFiLlNnoPpSsvwxcHIh0uUqVb.", "ABCefgmtTjMrEd",
        "hidden no-hidden no-ignore no-ignore-dot no-ignore-exclude no-ignore-files no-ignore-global "
        "no-ignore-messages no-ignore-parent no-ignore-vcs no-require-git ignore ignore-vcs ignore-file= "
        "ignore-file-case-insensitive files files-with-matches files-without-match count count-matches include-zero "
        "line-number no-line-number byte-offset ignore-case smart-case case-sensitive fixed-strings "
        "no-fixed-strings word-regexp line-regexp invert-match only-matching multiline multiline-dotall no-multiline "
        "pcre2 no-pcre2 pcre2-version auto-hybrid-regex engine= follow no-follow json no-json heading no-heading "
        "with-filename no-filename vimgrep stats no-stats trim no-trim text no-text binary no-binary null null-data "
        "crlf no-crlf no-messages messages sort= sortr= sort-files glob= iglob= glob-case-insensitive type= type-not= "
        "type-add= type-clear= type-list max-count= max-depth= maxdepth= max-columns= max-columns-preview "
        "max-filesize= after-context= before-context= context= context-separator= no-context-separator "
        "field-match-separator= field-context-separator= path-separator= regexp= file= replace= color= colors= "
        "pretty threads= encoding= no-encoding column no-column passthru passthrough unrestricted no-config "
        "one-file-system quiet no-unicode unicode no-pcre2-unicode line-buffered block-buffered mmap no-mmap "
        "dfa-size-limit= regex-size-limit= debug trace stop-on-nonmatch version help",
    ),
    # -x and -X run, -l starts ls.
    "fd": (
        fd := known(
            "HIuasigFp0Lq1hV", "tedEcSjo",
            "hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent no-require-git ignore unrestricted "
            "absolute-path relative-path ignore-case case-sensitive glob regex fixed-strings full-path follow and= "
            "type= extension= max-depth= min-depth= exact-depth= exclude= prune size= changed-within= changed-before= "
            "newer= older= max-results= color= print0 threads= owner= path-separator= "
            "strip-cwd-prefix one-file-system ignore-file= quiet version help",
        )
    ),
    "fdfind": fd,
    # --pager and -z run.
    "ag": known(
        "acDfFHiLlnoQrRsStuUvVw0", "ABCgGmpW",
        "after= before= context= break nobreak color nocolor column count depth= filename nofilename heading "
        "noheading group nogroup filename-pattern= files-with-matches files-without-matches numbers nonumbers "
        "only-matching print-all-files print-long-lines passthrough silent stats stats-only vimgrep null print0 "
        "all-types follow fixed-strings file-search-regex= hidden ignore-case ignore= ignore-dir= max-count= "
        "one-device path-to-ignore= literal case-sensitive smart-case search-binary all-text unrestricted "
        "skip-vcs-ignores invert-match word-regexp width= list-file-types version help cc cpp css go html java js json "
        "lua markdown perl php python py ruby rust shell sql swift ts xml yaml",
    ),
    # Names of other machines are looked up with --lookup and -d, and by the BSDs' `w` always.
    "who": known(
        "abdHlmpqrstTuw", "",
        "all boot dead heading login process count runlevel short time users message mesg writable",
        operands=2,
    ),
    # -N and -n write.
    "pmap": known("dpqxX", "A", "device quiet show-path extended"),
    "last": known("aFRwx", "nfpst", "hostlast fulltimes nohostname fullnames system limit= since= until=", digits=True),
    # With any option some look the name up.
    "hostname": known(operands=0),
    "arch": known(operands=0),
    "mount": known("lv", operands=0),
    "bc": known("lqsw", "", "mathlib quiet standard warn", operands=0),
    "lsb_release": known("acdrsi", "", "all codename description release short id", operands=0),
    "ulimit": known("aScdefHilmnpqrstuvx", operands=0),
    "umask": known("Sp", operands=0),
    "alias": known("p", operands=0),
    "dirs": known("lpv", operands=0),
    "jobs": known("lnprs", operands=0),
    "hash": known("l", operands=0),
    # They read what programs are made of; --plugin loads code.
    "readelf": known("adehlnrsSVW", "", "wide all file-header segments sections symbols dynamic notes relocs headers"),
    "nm": known("aACDgnpPrSu", "", "demangle dynamic defined-only extern-only undefined-only print-size numeric-sort"),
    "size": known("ABdotx"),
}  # fmt: skip

# Unpacking programs, where one of these makes them print and leave the file alone: the first whatever else is said,
# the others unless a later word makes them unpack after all.
TO_STDOUT = re.compile(r"-[a-z0-9]*c[a-z0-9]*|--stdout|--to-stdout")
LISTS_OR_TESTS = re.compile(r"-[a-z0-9]*[lt][a-z0-9]*|--list|--test")
UNPACKS = re.compile(r"-[a-z0-9]*d[a-z0-9]*|--decompress|--uncompress")
_UNPACK = known(
    "cdlqtvkn", "", "stdout to-stdout decompress uncompress list test verbose quiet keep no-name", digits=True
)
UNPACKERS: dict[str, Known] = dict.fromkeys(
    ("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd"), _UNPACK
)
PRINTING_UNPACKERS: dict[str, Known] = dict.fromkeys(
    ("zcat", "gzcat", "bzcat", "xzcat", "lzcat", "zstdcat", "lz4cat"), known("q", "", "quiet")
)
