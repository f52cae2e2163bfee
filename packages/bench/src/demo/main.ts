import { createApi } from '../client.ts'
import { arrange } from './arrange.ts'
import { buildCity, buildDashboards, buildRules } from './build.ts'
import { openTownHall } from './townHall.ts'
import { Traffic } from './traffic.ts'
import { doWork } from './work.ts'

/**
 * The demo city: builds itself through the API, sends 14 days of history (`LEITSTAND_DEMO_DAYS`) and then live values. It
 * uses only what any client has: an address, a session, the ports of the protocols.
 */
const url = process.env.LEITSTAND_URL
const token = process.env.LEITSTAND_TOKEN
const mqttPort = Number(process.env.LEITSTAND_MQTT_PORT)
const days = Number(process.env.LEITSTAND_DEMO_DAYS ?? 14)
if (!url || !token || !mqttPort) {
  console.error('The demo city needs LEITSTAND_URL, LEITSTAND_TOKEN and LEITSTAND_MQTT_PORT.')
  process.exit(1)
}

const api = createApi(url, token)
const started = Date.now()
const { city, ids } = await buildCity(api)
await using traffic = await Traffic.open(city, url, mqttPort, { days, onGone: leave })
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void traffic[Symbol.asyncDispose]().then(() => process.exit(0)))
}
console.log(
  `  Demo city: ${city.devices.length} devices; sending their last ${days} days; you can use the console in the meantime.`,
)
const sent = await traffic.sendHistory(Date.now(), () => buildRules(api, ids, 'history'))
await buildRules(api, ids, 'live')
await buildDashboards(api, ids)
await arrange(api, city, ids)
await doWork(api, city, ids)
await using _locks = await openTownHall(api, ids, mqttPort)
console.log(
  `  Demo city: ready, ${sent} uplinks in ${Math.round((Date.now() - started) / 1000)} s. DEMO=0 starts without it.\n`,
)
await traffic.sendLive()

/** System administrators can delete the city, see the guide of the console. */
function leave(): never {
  console.log('  Demo city: deleted. It is not built again.\n')
  process.exit(0)
}
