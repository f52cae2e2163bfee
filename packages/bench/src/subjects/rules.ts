import type { Options } from '../arguments.ts'
import { createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { openPlatform } from '../platform.ts'
import { costOfRules } from '../rules/cost.ts'
import { geofences } from '../rules/geofences.ts'
import { runOnPast } from '../rules/past.ts'
import { silentDevices } from '../rules/silence.ts'
import type { Report, Say } from './report.ts'

/** What rules cost, how punctual they are, and how fast they run on the past. */
export async function rules(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  await using platform = await openPlatform(options, signal)
  if (platform.database === null) throw new Error('the database of the platform is not known')
  await using database = await openDatabase(platform.database)
  const api = createApi(platform.url, platform.token)
  const tools = { options, platform, database, api, say }
  const parts = [
    await geofences(tools, signal),
    await costOfRules(tools, signal),
    await silentDevices(tools, signal),
    await runOnPast(tools, signal),
  ]
  return {
    json: { subject: 'rules', parts: parts.map(({ json }) => json) },
    lines: parts.flatMap(({ lines }) => [...lines, '']),
    isClean: parts.every(({ isClean }) => isClean),
  }
}
