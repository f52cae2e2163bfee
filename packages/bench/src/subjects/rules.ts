import { type Options, UsageError } from '../arguments.ts'
import { createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { openPlatform } from '../platform.ts'
import { costOfRules } from '../rules/cost.ts'
import { geofences } from '../rules/geofences.ts'
import { ruleForMany } from '../rules/many.ts'
import type { Part } from '../rules/part.ts'
import { runOnPast } from '../rules/past.ts'
import { silentDevices } from '../rules/silence.ts'
import { slowRule } from '../rules/slow.ts'
import { dayWindows } from '../rules/windows.ts'
import type { Report, Say } from './report.ts'

const partsByName = {
  geofences,
  cost: costOfRules,
  many: ruleForMany,
  silence: silentDevices,
  slow: slowRule,
  past: runOnPast,
  windows: dayWindows,
}

/** What rules cost, how punctual they are, and how fast they run on the past. */
export async function rules(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  const names = Object.keys(partsByName) as (keyof typeof partsByName)[]
  const chosen = options.part === null ? names : names.filter((name) => name === options.part)
  if (chosen.length === 0) throw new UsageError(`--part is one of ${names.join(', ')}`)
  await using platform = await openPlatform(options, signal)
  if (platform.database === null) throw new Error('the database of the platform is not known')
  await using database = await openDatabase(platform.database)
  const api = createApi(platform.url, platform.token)
  const tools = { options, platform, database, api, say }
  const parts: Part[] = []
  for (const name of chosen) parts.push(await partsByName[name](tools, signal))
  return {
    json: { subject: 'rules', parts: parts.map(({ json }) => json) },
    lines: parts.flatMap(({ lines }) => [...lines, '']),
    isClean: parts.every(({ isClean }) => isClean),
  }
}
