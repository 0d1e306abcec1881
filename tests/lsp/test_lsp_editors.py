"""Real editors, headless, set up by the blocks of their pages: they ask, list evidence, jump, and see drift."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.availability import unavailable
from tests.lsp.editors import editor, lease_notes, page_block, run, run_in_terminal, surroundings
from tests.lsp.neovim import asks_lists_jumps_and_sees_drift, version

ALE = Path("/usr/share/vim-ale")

EMACS = """
(defun wait-for (what condition)
  (let ((until (+ (float-time) 60)))
    (while (and (not (funcall condition)) (< (float-time) until))
      (accept-process-output nil 0.05))
    (unless (funcall condition)
      (error "waited in vain: %s" what))))
(defun to (words)
  (goto-char (point-min))
  (search-forward words)
  (goto-char (match-beginning 0)))
(defun expect (found wanted)
  (unless (equal found wanted)
    (error "%S, not %S" found wanted)))

(setq eglot-confirm-server-initiated-edits nil)
(find-file "note.md")
(run-hooks 'post-command-hook)
(wait-for "a server" (lambda () (eglot-current-server)))
(let* ((here (list :start (progn (to "?? When") (eglot--pos-to-lsp-position)) :end (eglot--pos-to-lsp-position)))
       (params (list :textDocument (eglot--TextDocumentIdentifier) :range here :context '(:diagnostics [])))
       (actions (jsonrpc-request (eglot-current-server) :textDocument/codeAction params))
       (ask (plist-get (aref actions 0) :command)))
  (eglot-execute-command (eglot-current-server) (intern (plist-get ask :command)) (plist-get ask :arguments))
  (wait-for "the block" (lambda () (save-excursion (goto-char (point-min)) (search-forward "lens:end" nil t)))))

(lens-ask "When does the lease of the workshop end?")
(wait-for "the server at the answer" (lambda () (eglot-current-server)))
(let ((answer (current-buffer)))
  (to "# When")
  (expect (mapcar (lambda (each) (xref-location-line (xref-item-location each)))
                  (xref-backend-references 'eglot "at point"))
          '(5))
  (to "[^q")
  (forward-char 2)
  (call-interactively 'xref-find-definitions)
  (expect (buffer-name) "contract.md")
  (expect (buffer-substring (point) (line-end-position)) "The lease of the workshop ends on 30 June 2031.")
  (kill-buffer)
  (switch-to-buffer answer)
  (flymake-start)
  (call-process "sh" nil nil nil "-c" "echo '# Contract' > ../house/contract.md")
  (wait-for "drift" (lambda ()
    (seq-some (lambda (each) (string-match-p "contract.md: withdrawn" (flymake-diagnostic-text each)))
              (flymake-diagnostics)))))
(princ "all was seen")
"""

VIM = """
function! Wait(what, condition) abort
  for l:n in range(1200)
    if a:condition()
      return
    endif
    sleep 50m
  endfor
  throw 'waited in vain: ' . a:what . ' in ' . expand('%:p') . ': ' . join(getline(1, '$'), ' | ')
endfunction

function! Ready() abort
  return !empty(filter(values(ale#lsp#GetConnections()), {_, each -> each.initialized}))
endfunction

function! Drifted() abort
  return !empty(filter(copy(get(get(g:ale_buffer_info, bufnr(''), {}), 'loclist', [])),
  \\ {_, each -> each.text =~# 'contract.md: withdrawn'}))
endfunction

function! Run() abort
  edit note.md
  call Wait('a server', {-> Ready()})
  call search('?? When')
  call feedkeys("1\\<CR>", 't')
  ALECodeAction
  call Wait('the answer', {-> !empty(glob('answers/*.md'))})
  execute 'edit ' . glob('answers/*.md')
  call search('# When')
  call feedkeys("\\<CR>", 't')
  ALEFindReferences -quickfix
  call Wait('the list', {-> len(getqflist()) == 1 && getqflist()[0].lnum == 5})
  execute 'edit ' . glob('answers/*.md')
  call cursor(1, 1)
  call search('\\V[^q')
  ALEGoToDefinition
  call Wait('the jump', {-> expand('%:t') ==# 'contract.md' && line('.') == 5})
  execute 'edit ' . glob('answers/*.md')
  bwipeout house/contract.md
  call system('echo "# Contract" > house/contract.md')
  call Wait('drift', {-> Drifted()})
  call writefile(['all was seen'], '../said.txt')
endfunction

function! Main() abort
  try
    call Run()
  catch
    call writefile([v:exception, v:throwpoint], '../said.txt')
  endtry
  qall!
endfunction
autocmd VimEnter * ++nested call Main()
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return lease_notes(tmp_path / "notes")


def test_neovim_asks_lists_jumps_and_sees_drift(tmp_path: Path, notes: Path) -> None:
    asks_lists_jumps_and_sees_drift(editor("nvim"), notes, surroundings(tmp_path / "home"))


def test_neovim_from_0_11_on_asks_lists_jumps_and_sees_drift(tmp_path: Path, notes: Path) -> None:
    program = os.environ.get("LENS_NVIM11")
    if program is None:
        unavailable("nvim11", "LENS_NVIM11 names no Neovim 0.11 or newer")
    assert version(program) >= (0, 11)
    asks_lists_jumps_and_sees_drift(program, notes, surroundings(tmp_path / "home"))


def test_emacs_asks_lists_jumps_and_sees_drift(tmp_path: Path, notes: Path) -> None:
    program = editor("emacs")
    if subprocess.run([program, "--batch", "--eval", "(require 'eglot)"], capture_output=True).returncode != 0:
        unavailable("editors", "this Emacs has no eglot")
    (tmp_path / "init.el").write_text(page_block("emacs.md", "elisp"))
    (tmp_path / "drive.el").write_text(EMACS)
    command = [program, "--batch", "-q", "-l", str(tmp_path / "init.el"), "-l", str(tmp_path / "drive.el")]
    assert "all was seen" in run(command, notes, surroundings(tmp_path / "home"))


def test_vim_asks_lists_jumps_and_sees_drift(tmp_path: Path, notes: Path) -> None:
    program = editor("vim")
    if not ALE.exists():
        unavailable("editors", "ALE is not installed")
    settings = f"set nocompatible\nset runtimepath+={ALE}\nfiletype plugin on\n"
    (tmp_path / "vimrc").write_text(settings + page_block("vim.md", "vim", number=1))
    (tmp_path / "drive.vim").write_text(VIM)
    (notes / "ask.md").write_text("x")
    command = [program, "-u", str(tmp_path / "vimrc"), "-i", "NONE", "-n", "-S", str(tmp_path / "drive.vim")]
    run_in_terminal(command, notes, surroundings(tmp_path / "home"))
    assert (tmp_path / "said.txt").read_text() == "all was seen\n"
