import { flow } from '../alarms/flow.ts'
import { storm } from '../alarms/storm.ts'
import { thresholds } from '../alarms/thresholds.ts'
import { type Options, UsageError } from '../arguments.ts'
import { createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { openPlatform } from '../platform.ts'
import type { Part } from '../rules/part.ts'
import type { Report, Say } from './report.ts'

const partsByName = { flow, storm, thresholds }

/** Whether every cause of an alarm is in the alarm log, and how soon. Each part has a platform of its own. */
export async function alarms(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  const names = Object.keys(partsByName) as (keyof typeof partsByName)[]
  const chosen = options.part === null ? names : names.filter((name) => name === options.part)
  if (chosen.length === 0) throw new UsageError(`--part is one of ${names.join(', ')}`)
  const parts: Part[] = []
  for (const name of chosen) {
    await using platform = await openPlatform(options, signal)
    if (platform.database === null) throw new Error('the database of the platform is not known')
    await using database = await openDatabase(platform.database)
    const api = createApi(platform.url, platform.token)
    parts.push(await partsByName[name]({ options, platform, database, api, say }, signal))
  }
  return {
    json: { subject: 'alarms', parts: parts.map(({ json }) => json) },
    lines: parts.flatMap(({ lines }) => [...lines, '']),
    isClean: parts.every(({ isClean }) => isClean),
  }
}
