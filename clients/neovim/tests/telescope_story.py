"""A story of a user at telescope.nvim, which shows what the finder finds."""

import os

import stories
from finder_stories import says, server, shows_without, tree


def telescope(editor):
    """The finder as a source of telescope.nvim: that of the folder VIEW_MODEL_TELESCOPE, or else a stand-in."""
    with stories.Stage(editor) as stage:
        folder = os.environ.get("VIEW_MODEL_TELESCOPE")
        if folder:
            plugins = [f"vim.opt.runtimepath:append('{folder}/{name}')" for name in ("plenary.nvim", "telescope.nvim")]
            offer = "; ".join([*plugins, "require('telescope').load_extension('view_model')"])
        else:
            offer = f"dofile('{editor.folder}/tests/telescope_stand_in.lua')"
        own = server(stage, tree(stage))
        terminal = stage.start(settings=f"require('view_model').setup({{ address = '{own.address}' }}); {offer}\n")
        stories.command(terminal, ":Telescope view_model")
        terminal.shows("README.md", "src/apple.lua", "words/Grüße.txt", "# A small project")
        # Only the prompt has this text: it is gone when the picker is.
        terminal.type("aplua")
        terminal.shows("aplua")
        terminal.shows_no("banana")
        terminal.shows("src/apple.lua", "local seeds")
        terminal.press("C-x")
        # What is typed before it closes is for its prompt.
        terminal.shows_no("aplua")
        says(terminal, "winnr('$') . ' ' . fnamemodify(bufname(), ':t') . ' ' . mode()", "2 apple.lua n")
        stories.said("files are found, shown and opened in Telescope's picker")
        stories.command(terminal, ":Telescope view_model text")
        terminal.type("herring")
        terminal.shows("banana.lua:2: local herring = 'red'", "README.md:3: ", "cherry.lua:1: ")
        terminal.press("C-f")
        # One key: with two, what the first one finds may be on the screen while the second one's search begins.
        terminal.type("$")
        shows_without(terminal, "cherry.lua:1", "banana.lua:2")
        terminal.press("Enter")
        terminal.shows_no("herring$")
        says(terminal, "line('.') . ' ' . getline('.')[col('.') - 1:]", "1 Herring")
        stories.said("and so are lines; C-f switches to regular expressions")
