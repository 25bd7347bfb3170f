"""The one door: every call of a flow goes through `Run.call`."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from time import perf_counter
from typing import Any

from pydantic_core import ValidationError

from flows.config.redaction import redact_pieces
from flows.core.editions import forget_below
from flows.core.events import RoundStarted, StepErred, StepFinished, StepStarted
from flows.core.flow import Flow
from flows.core.session import Session
from flows.core.step import do_step, not_outputs, settle_step
from flows.core.values import Values
from flows.core.work import Work
from flows.errors import JournalError, LimitReached, StepFailed, StopAsked, Waiting

# A named tuple's own constructor takes twice the time, and there are two events a step.
_new = tuple.__new__
_SIGNALS = (LimitReached, Waiting, JournalError, StepFailed)
YIELD_SECONDS = 0.02


class Run(Work):
    """A flow's view of the run while it is called: what an atomic flow can do is in `Work`, where
    it stands is in `CallScope`; here is what a composite uses, above all the door to its
    subflows."""

    _counters: dict[str, int] | None = None

    async def call(
        self,
        subflow: Any,
        payload: Mapping[str, Any],
        goal: str = "",
        *,
        pick: bool = False,
        apart: bool = False,
        item: bool = False,
    ) -> Values:
        """Call a subflow with the payload as its inputs, and return its outputs by name.

        `goal` is the step's label, the subflow's own description without one. With `pick` the
        payload may hold other keys, which are left out; else they are an error. Called `apart`, the
        flows below fold states of their own, which end with the call. An `item` is one of several
        calls that do not see each other, so that a worker may do it. Errors:
        `StepFailed` with the step's address; `LimitReached`, `Waiting`, `JournalError` as they are.
        """
        # One body, though a long one: this is the hot path, and each frame costs a fortieth of it.
        session = self.session
        outputs: Values
        started = perf_counter()
        name = subflow.name
        above, round_number = self.address, self.round
        if self.flow is None:  # this is the top, and the call is that of the top flow
            address = ""
        else:
            counters = self._counters
            if counters is None:
                counters = self._counters = {}
            count = counters[name] = counters.get(name, 0) + 1
            address = f"{above}/{name}#{count}" if above else f"{name}#{count}"
        if session.editions is not None:
            subflow = session.editions.flow_at(address, subflow)
            payload = session.editions.payload_at(address, self.flow, payload)
        if started >= session.deadline:
            started = await session.before_step(address)
        run = Run(session, subflow, address, round_number)
        if apart:
            run.own_states = {}
        elif self.own_states is not None:
            run.own_states = self.own_states
        if session.editions is not None:
            session.editions.take_place(subflow, run.states)
        tell = session.tell
        try:
            if pick:
                try:
                    inputs = subflow.pick(payload)
                except ValidationError as error:
                    raise subflow.port_error(error) from error
            else:
                inputs = subflow.read_inputs(payload)
            if tell is not None:
                session.seq = seq = session.seq + 1
                label = goal or subflow.label
                given = inputs.__dict__
                if subflow.private_keys and not session.tells_private:
                    given = subflow.told(given)
                told = (session.run_id, seq, address, round_number, name, label, given)
                try:
                    tell(_new(StepStarted, told))
                except Exception as error:  # noqa: BLE001 - a listener's fault is not the step's
                    session.lose(tell, error)
                    tell = session.tell
            if item and session.workers is not None:
                await session.workers.prepare(
                    subflow.path, address, round_number, inputs, apart=apart
                )
            if subflow.plain and session.journal is None:
                work, timed = subflow.run(inputs, run), session.wall_time
                result = await (work if timed is None else timed.limit(run, work, subflow.goes_on))
                if type(result) is not subflow.outputs_type:
                    raise not_outputs(subflow, result)
                if run.saved:
                    settle_step(session, subflow, inputs, result, run)
                outputs = result.__dict__
            else:
                returned = await do_step(session, subflow, inputs, run)
                outputs = returned if type(returned) is dict else dict(returned)
        except _SIGNALS:
            raise
        except (Exception, SystemExit) as error:  # code of a user's own may call sys.exit
            _tell(run, subflow, error)
            raise StepFailed(address or name, error) from error
        if tell is not None:
            ms = (perf_counter() - started) * 1000.0
            session.seq = seq = session.seq + 1
            shown: Mapping[str, Any] = outputs
            if subflow.private_keys and not session.tells_private:
                shown = subflow.told(outputs)
            done = (
                session.run_id,
                seq,
                address,
                round_number,
                name,
                shown,
                ms,
                run.usage,
                run.reused,
            )
            try:
                tell(_new(StepFinished, done))
            except Exception as error:  # noqa: BLE001 - a listener's fault is not the step's
                session.lose(tell, error)
        return outputs

    def begin_round(self, number: int, max_rounds: int | None) -> bool:
        """Count a round of a circular flow. Errors: `LimitReached`.

        True says that others have waited long: steps that never wait would keep timeouts, Ctrl-C
        and other runs from having their turn, so the flow has to let them.
        """
        session = self.session
        session.meter.begin_round()
        self.round = number
        if session.listeners:
            session.seq = seq = session.seq + 1
            told = (session.run_id, seq, self.address, number, max_rounds or 0)
            session.emit(_new(RoundStarted, told))
        if (now := perf_counter()) - session.turn.at < YIELD_SECONDS:
            return False
        session.turn.at = now
        return True

    def reset(self, subflow: Flow) -> None:
        """Forget the folded state of a subflow and of all below it."""
        if self.session.editions is not None:
            forget_below(self.states, subflow.path)
        else:
            forget(self.states, subflow)

    def stop_unfinished(self, reason: str) -> None:
        """Say that this flow ends without having come to its end. At the top, the run does."""
        if self.address == "":
            self.session.unfinished = reason
        else:
            self.notice(reason)

    def begin_final(self) -> bool:
        """Ask for what was kept for a last answer; only the top flow gets it, and once."""
        if self.address or self.session.meter.final:
            return False
        self.session.extend()
        return True

    def take_stop(self) -> None:
        """Said by a flow that caught `StopAsked`: what it does next, it does as usual."""
        self.session.stop_wanted = False
        self.session.set_deadline()

    async def call_at_end(self, subflow: Flow, payload: Mapping[str, Any]) -> Values:
        """Call a subflow that makes something of what there is: a wish to stop is no reason not to.

        Errors: as for `call`, without `StopAsked`.
        """
        try:
            return await self.call(subflow, payload)
        except StopAsked:
            self.take_stop()
            return await self.call(subflow, payload)

    def repeated(self, command: str) -> int:
        """How often this command was given in the run, this time included."""
        self.session.given[command] += 1
        return self.session.given[command]

    def count_command(self, kind: str) -> None:
        """Count the outcome of a command (ok, empty, error); all of them failing is `degraded`."""
        self.session.command_counts[kind] += 1


def forget(states: dict[str, Any], flow: Flow) -> None:
    """Take out the folded state of a flow and of all below it."""
    states.pop(flow.path, None)
    for child in flow.children().values():
        forget(states, child)


def begin(session: Session, flow: Flow, inputs: Mapping[str, Any]) -> Coroutine[Any, Any, Values]:
    """Call the top flow of a run. Errors: as for `Run.call`."""
    session.title = flow.name
    return Run(session, None, "", 0).call(flow, inputs)


async def call_at(
    session: Session, above: Flow, flow: Flow, address: str, round_number: int, inputs: Values,
    *, apart: bool,
) -> Values:  # fmt: skip
    """Call a flow at the address of its call in the run, as the flow `above` it does there. Errors:
    as for `Run.call`."""
    place, _, call = address.rpartition("/")
    name, _, count = call.rpartition("#")
    run = Run(session, above, place, round_number)
    run._counters = {name: int(count) - 1}
    return await run.call(flow, inputs, pick=True, apart=apart)


def _tell(run: Run, flow: Flow, error: BaseException) -> None:
    session = run.session
    if session.listeners:
        session.emit(
            StepErred(
                session.run_id,
                session.next_seq(),
                run.address,
                run.round,
                flow.name,
                type(error).__name__,
                redact_pieces(str(error)),
            )
        )
