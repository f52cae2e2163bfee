/** Processor time of the reference on the machine that limits were set on: two cores at 2.4 GHz, otherwise idle. */
const referenceMs = 10
const tries = 3

/** Work like that of a request: a megabyte of JSON parsed, walked and written. */
const text = JSON.stringify(
  Array.from({ length: 12_000 }, (_, index) => ({
    id: index,
    title: `Sensor ${index}`,
    tags: ['a', 'b'],
    value: index / 3,
  })),
)

function referenceRun(): number {
  const { user, system } = process.threadCpuUsage()
  const walked = (JSON.parse(text) as object[]).map((row) => Object.entries(row).flat())
  JSON.stringify(walked)
  const used = process.threadCpuUsage({ user, system })
  return (used.user + used.system) / 1000
}

/**
 * How many times slower than usual this machine computes at the moment, at least 1. Others on the same machine take
 * caches, and parts of a core, without that being seen in processor time.
 */
export function slowness(): number {
  const fastest = Math.min(...Array.from({ length: tries }, referenceRun))
  return Math.max(1, fastest / referenceMs)
}
