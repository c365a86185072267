"""The options of git's reading subcommands that neither write nor run anything. All others count as those that do.

Left out on purpose: --output writes, --ext-diff and --textconv run what the configuration names, --show-signature
starts gpg, --remerge-diff writes objects and runs merge drivers, --dirty writes the index, -O of grep starts a pager.
"""

from __future__ import annotations

from tools.bash.judge.options import Known, known

DIFF_LETTERS = "pusRabwzDWrtq"
DIFF_GLUED = "MCB"
_DIFF_VALUED = "UGSOlXI"
DIFF = (
    "patch no-patch unified= raw patch-with-raw patch-with-stat stat stat= stat-width= stat-count= numstat shortstat "
    "dirstat dirstat= dirstat-by-file cumulative summary name-only name-status color color= no-color color-words "
    "color-words= word-diff word-diff= word-diff-regex= no-renames renames find-renames find-renames= find-copies "
    "find-copies= find-copies-harder break-rewrites irreversible-delete check full-index binary abbrev abbrev= "
    "no-abbrev diff-filter= pickaxe-all pickaxe-regex find-object= relative relative= no-relative text "
    "ignore-all-space ignore-space-change ignore-blank-lines ignore-space-at-eol ignore-cr-at-eol "
    "ignore-matching-lines= inter-hunk-context= function-context exit-code quiet no-ext-diff no-textconv no-prefix "
    "default-prefix src-prefix= dst-prefix= minimal patience histogram anchored= diff-algorithm= compact-summary "
    "ignore-submodules ignore-submodules= submodule submodule= indent-heuristic no-indent-heuristic cached staged "
    "merge-base color-moved color-moved= no-color-moved color-moved-ws= ws-error-highlight= skip-to= rotate-to= "
    "line-prefix= output-indicator-new= output-indicator-old= output-indicator-context= ita-invisible-in-index "
    "ita-visible-in-index base ours theirs cc combined-all-paths no-index"
)  # fmt: skip
_LOG = (
    "oneline graph no-graph all decorate decorate= no-decorate decorate-refs= decorate-refs-exclude= "
    "clear-decorations format= pretty pretty= author= committer= grep= since= until= after= before= "
    "since-as-filter= follow no-merges merges max-count= skip= first-parent exclude-first-parent-only reverse date= "
    "abbrev-commit no-abbrev-commit branches branches= tags tags= remotes remotes= not left-right left-only "
    "right-only cherry cherry-pick cherry-mark merge date-order topo-order author-date-order simplify-by-decoration "
    "simplify-merges full-history ancestry-path ancestry-path= parents children source no-show-signature "
    "invert-grep all-match regexp-ignore-case extended-regexp basic-regexp fixed-strings perl-regexp no-walk "
    "no-walk= do-walk relative-date walk-reflogs reflog no-notes notes notes= show-notes cc root no-expand-tabs "
    "expand-tabs expand-tabs= count min-parents= max-parents= no-min-parents no-max-parents boundary objects dense "
    "sparse glob= exclude= exclude-hidden= encoding= mailmap use-mailmap no-mailmap log-size show-pulls "
    "diff-merges= no-diff-merges remove-empty show-linear-break in-commit-order ignore-missing grep-reflog= "
    "single-worktree indexed-objects no-object-names object-names line-prefix="
)  # fmt: skip

LOG = known(DIFF_LETTERS + "igEFPcm", _DIFF_VALUED + "nL", f"{DIFF} {_LOG}", glued=DIFF_GLUED, digits=True)
DIFFERENCES = known(DIFF_LETTERS + "cm", _DIFF_VALUED, DIFF, glued=DIFF_GLUED, digits=True)
_BLAME = known(
    "bcfnpstwel", "LS",
    "porcelain line-porcelain incremental show-name show-number show-email date= abbrev= root first-parent "
    "no-textconv ignore-rev= ignore-revs-file= color-lines color-by-age minimal reverse since= progress no-progress "
    "show-stats score-debug encoding= contents=",
    glued="MC",
)  # fmt: skip

READING: dict[str, Known] = {
    "status": known(
        "sbvz", "",
        "short branch show-stash porcelain porcelain= long verbose untracked-files untracked-files= ignored ignored= "
        "ignore-submodules ignore-submodules= column column= no-column ahead-behind no-ahead-behind renames no-renames "
        "find-renames find-renames= null",
        glued="u",
    ),
    "log": LOG,
    "show": LOG,
    "whatchanged": LOG._replace(long=LOG.long | {"--i-still-use-this"}),
    "diff": DIFFERENCES,
    "diff-files": DIFFERENCES,
    "diff-index": DIFFERENCES,
    "diff-tree": LOG._replace(long=LOG.long | {"--no-commit-id", "--always", "--stdin"}, letters=LOG.letters + "v"),
    "shortlog": known("nsec", "", f"numbered summary email committer group= {_LOG}", glued="w", digits=True),
    "rev-list": known("in", "n", f"{_LOG} disk-usage disk-usage= use-bitmap-index header timestamp", digits=True),
    "range-diff": DIFFERENCES._replace(
        long=DIFFERENCES.long | {"--creation-factor=", "--no-dual-color", "--dual-color", "--left-only", "--right-only"}
    ),
    "blame": _BLAME,
    "annotate": _BLAME,
    "describe": known(
        "", "",
        "tags all always long abbrev= match= exclude= contains candidates= exact-match first-parent debug",
    ),
    "rev-parse": known(
        "q", "",
        "abbrev-ref abbrev-ref= short short= verify show-toplevel git-dir absolute-git-dir git-common-dir git-path= "
        "is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository show-prefix show-cdup symbolic "
        "symbolic-full-name all branches branches= tags tags= remotes remotes= glob= exclude= not quiet revs-only "
        "no-revs flags no-flags default= path-format= disambiguate= since= until= after= before= local-env-vars "
        "show-superproject-working-tree show-object-format show-ref-format sq shared-index-path",
    ),
    "ls-files": known(
        "cdmoiskutvfz", "xX",
        "cached deleted modified others ignored stage killed unmerged exclude= exclude-from= exclude-standard "
        "exclude-per-directory= error-unmatch full-name eol abbrev abbrev= directory no-empty-directory deduplicate "
        "recurse-submodules with-tree= resolve-undo format= debug sparse",
    ),
    "ls-tree": known("drtlz", "", "name-only name-status object-only long full-name full-tree abbrev abbrev= format="),
    "cat-file": known(
        "tspez", "",
        "batch-check batch-check= batch batch= batch-all-objects unordered buffer follow-symlinks allow-unknown-type",
    ),
    "show-ref": known("qds", "", "head heads tags branches hash hash= abbrev abbrev= verify dereference quiet exists"),
    "for-each-ref": known(
        "", "",
        "count= sort= format= points-at= merged merged= no-merged no-merged= contains contains= no-contains "
        "no-contains= color color= ignore-case omit-empty exclude= shell perl python tcl",
    ),
    "merge-base": known("a", "", "all octopus is-ancestor fork-point independent"),
    "name-rev": known("", "", "tags refs= exclude= all name-only no-undefined always stdin annotate-stdin"),
    "show-branch": known(
        "ar", "", "all remotes current topo-order date-order sparse more= list merge-base independent no-name "
        "sha1-name topics color color= no-color",
    ),
    "grep": known(
        "aIiwvhHEGFPnlLzocpWqr", "eABCmf",
        "cached no-index untracked ignore-case word-regexp invert-match extended-regexp basic-regexp fixed-strings "
        "perl-regexp line-number files-with-matches name-only files-without-match count only-matching break heading "
        "show-function function-context context= after-context= before-context= max-depth= max-count= and or not "
        "all-match quiet column full-name no-textconv color color= no-color recursive no-recursive exclude-standard "
        "no-exclude-standard null text threads= recurse-submodules",
        digits=True,
    ),
    "count-objects": known("vH", "", "verbose human-readable"),
    "check-ignore": known("qvnz", "", "quiet verbose non-matching no-index stdin"),
    "check-attr": known("az", "", "all cached stdin"),
    "check-mailmap": known("", "", "stdin"),
    "check-ref-format": known("", "", "branch allow-onelevel normalize refspec-pattern"),
    "var": known("", "", operands=1),
    "version": known("", "", "build-options", operands=0),
    "cherry": known("v", "", "abbrev="),
    "verify-pack": known("vs", "", "verbose stat-only"),
}  # fmt: skip

BRANCH = known(
    "arvlqi", "",
    "all remotes verbose list show-current merged merged= no-merged no-merged= contains contains= no-contains "
    "no-contains= points-at= sort= format= color color= no-color column column= no-column abbrev= no-abbrev "
    "ignore-case omit-empty",
)  # fmt: skip
TAG = known(
    "li", "",
    "list sort= format= contains contains= no-contains no-contains= merged merged= no-merged no-merged= points-at "
    "points-at= column column= no-column ignore-case color color= omit-empty",
    glued="n",
)  # fmt: skip
CONFIG = known(
    "lz", "f",
    "list get get-all get-regexp get-urlmatch global system local worktree file= blob= show-origin show-scope null "
    "name-only includes no-includes type= bool int bool-or-int path expiry-date default= all regexp url= value= "
    "fixed-value",
    operands=2,
)  # fmt: skip
