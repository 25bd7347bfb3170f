"""pydantic-graph: a step that the graph maps over a list, and a join that collects.

Instrumentation is off. The join collects in the order in which the children end, so what it
collected is sorted, outside of what the framework does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from driver import driver_arguments, measure_async
from pydantic_graph.graph_builder import GraphBuilder
from pydantic_graph.join import reduce_list_append
from pydantic_graph.step import StepContext
from workload import State, fan_state


async def child(context: StepContext[None, None, int]) -> int:
    return context.inputs + 1


def build(width: int) -> Callable[[], Awaitable[State]]:
    builder = GraphBuilder(
        name="fan", input_type=list[int], output_type=list[int], auto_instrument=False
    )
    step = builder.step(child, node_id="child")
    join = builder.join(reduce_list_append, initial_factory=list[int], node_id="join")
    builder.add(
        builder.edge_from(builder.start_node).map().to(step),
        builder.edge_from(step).to(join),
        builder.edge_from(join).to(builder.end_node),
    )
    graph = builder.build()

    async def run() -> State:
        return fan_state(sorted(await graph.run(inputs=list(range(width)))))

    return run


if __name__ == "__main__":
    measure_async(build, driver_arguments(size="width").width)
