"""Real Neovim, headless, set up by the block of its page that is for its version."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.lsp.editors import page_block, run

_DRIVE = """
local function wait(what, condition)
  if not vim.wait(60000, condition, 20) then
    io.stderr:write('waited in vain: ' .. what .. '\\n')
    vim.cmd('cquit')
  end
end
local function clients() return (vim.lsp.get_clients or vim.lsp.get_active_clients)() end
local function attached(buffer)
  return vim.tbl_filter(function(each) return vim.lsp.buf_is_attached(buffer, each.id) end, clients())
end
local function lenses()
  return vim.fn.has('nvim-0.12') == 1 and vim.lsp.codelens.get({ bufnr = 0 }) or vim.lsp.codelens.get(0)
end
local function here() return vim.fn.expand('%:t') end
local function lines() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') end
local function to(words) vim.fn.cursor(1, 1); assert(vim.fn.search(words, 'c') > 0, words) end

local done, why = pcall(function()
  vim.cmd('edit note.md')
  wait('a server', function()
    return clients()[1] and clients()[1].initialized
  end)
  local server = clients()[1].id

  if vim.fn.has('nvim-0.12') == 1 then vim.lsp.codelens.enable(true) else vim.lsp.codelens.refresh() end
  wait('a lens', function() return #lenses() == 1 end)
  to('?? When')
  vim.lsp.codelens.run()
  wait('the block', function() return lines():find('lens:end', 1, true) end)
  assert(lines():find('30 June 2031', 1, true))
  vim.cmd('write')

  vim.cmd('LensAsk When does the lease of the workshop end?')
  wait('the answer', function() return here():find('when%-does') end)
  local answer = vim.api.nvim_get_current_buf()
  wait('the server at the answer', function() return #attached(answer) == 1 end)
  assert(clients()[1].id == server and #clients() == 1)

  to('^# When')
  vim.lsp.buf.references()
  wait('the list', function()
    local found = vim.fn.getqflist()
    return #found == 1 and vim.fn.bufname(found[1].bufnr):find('contract.md', 1, true) and found[1].lnum == 5
  end)
  vim.cmd('cclose')

  to('\\\\[^q')
  vim.lsp.buf.definition()
  wait('the jump', function() return here() == 'contract.md' and vim.fn.line('.') == 5 end)
  assert(vim.fn.getline('.'):sub(vim.fn.col('.')) == 'The lease of the workshop ends on 30 June 2031.')

  vim.cmd('buffer ' .. answer)
  vim.cmd('bwipeout house/contract.md')
  vim.fn.system({ 'sh', '-c', 'echo "# Contract" > house/contract.md' })
  wait('drift', function()
    for _, each in ipairs(vim.diagnostic.get(answer)) do
      if each.message:find('contract.md: withdrawn', 1, true) then return each.source == 'lens' end
    end
    return false
  end)
end)
if not done then
  io.stderr:write(tostring(why) .. '\\n')
  vim.cmd('cquit')
end
print('all was seen')
vim.cmd('qall!')
"""


def version(program: str) -> tuple[int, int]:
    """The first two numbers of its version."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", said)
    assert found, said
    return int(found[1]), int(found[2])


def asks_lists_jumps_and_sees_drift(program: str, notes: Path, env: Mapping[str, str]) -> None:
    """Put the page's block where a user's settings are, and do in the notes what the page promises."""
    settings = Path(env["HOME"], ".config", "nvim", "init.lua")
    settings.parent.mkdir(parents=True)
    settings.write_text(page_block("neovim.md", "lua", number=1 if version(program) >= (0, 11) else 0))
    drive = Path(env["HOME"], "drive.lua")
    drive.write_text(_DRIVE)
    assert "all was seen" in run([program, "--headless", "-c", f"luafile {drive}"], notes, env)
