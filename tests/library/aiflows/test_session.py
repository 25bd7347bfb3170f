"""A file of aiflows at a real terminal: changed at its question, stopped, and gone on with."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.cli.inside import inside
from tests.cli.test_session_terminal import SessionTerminal

FILE = """
flow:
  _target_: aiflows.base_flows.SequentialFlow.instantiate_from_default_config
  name: Desk
  description: Asks a person, and replies.
  input_interface: [topic]
  output_interface: [human_input, reply]
  subflows_config:
    ask:
      _target_: flow_modules.aiflows.HumanStandardInputFlowModule.HumanStandardInputFlow
      request_multi_line_input_flag: false
      input_interface: [topic]
      query_message_prompt_template: {template: "Which {{topic}}?", input_variables: [topic]}
    say:
      _target_: flow_modules.aiflows.FixedReplyFlowModule.FixedReplyFlow
      fixed_reply: closed
  topology:
    - {goal: ask, flow: ask}
    - goal: say
      flow: say
      output_interface:
        _target_: aiflows.interfaces.KeyInterface
        keys_to_rename: {fixed_reply: reply}
"""


ASKED = "\x1b[0mWhich day?"  # as the prompt shows it


@pytest.mark.long("a command in two processes, at a real terminal")
def test_it_is_changed_at_its_question_stopped_and_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "desk.yaml").write_text(FILE)
    start = ("-m", "flows", "run", "desk.yaml", "inputs.topic=day")
    first = SessionTerminal(tmp_path, *start, asked=ASKED)
    first.say(":set say.fixed_repli=open", "did you mean fixed_reply?")
    first.say(":undo", "Taken back")
    first.say(":set say.fixed_reply=open", "'closed' is now 'open'")
    first.say(":swap ask=aiflows.fixed_reply", "'fixed_reply' must be given")
    first.child.sendintr()
    first.child.expect_exact("go on with: flows resume")
    first.child.wait()
    assert first.child.exitstatus == 128 + signal.SIGINT
    assert inside("resume", "last", cwd=tmp_path).code == 75  # nobody is there to be asked again
    done = inside("resume", "last", "--answer", "Monday", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    outputs = json.loads(done.out.splitlines()[-1])["outputs"]
    assert outputs == {"human_input": "Monday", "reply": "open"}
