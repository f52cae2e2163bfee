import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The delivered driver of the simulated devices: both sides decode with the same code. */
const driver = fileURLToPath(
  new URL('../../../server/src/features/drivers/library/elsys-ers/driver.js', import.meta.url),
)

/** Tables of the flow: what came in, and one row per value. */
export const tables = `
  create table uplinks (id bigserial primary key, device text not null, time timestamptz not null, payload jsonb not null);
  create index on uplinks (device, time);
  create table points (device text, key text, time timestamptz, value float8 not null, primary key (device, key, time))`

/** One statement per uplink, so that it is stored whole or not at all. */
const insert = `
  with stored as (insert into uplinks (device, time, payload) values ($1, $2, $3))
  insert into points (device, key, time, value)
  select $1, key, $2, value from unnest($4::text[], $5::float8[]) as v (key, value)
  on conflict do nothing`

/** Connections to the database, as many as the pool of pg has by default. */
const poolMax = 10

/**
 * The flow as Node-RED keeps it: MQTT in with QoS 1 → decode → store.
 * @param isPersistent the broker keeps messages while it is away; off by default in Node-RED
 */
export function flowsOf(brokerPort: number, isPersistent: boolean): object[] {
  const at = { z: 'flow', x: 100, y: 100 }
  return [
    { id: 'flow', type: 'tab', label: 'Uplinks' },
    {
      id: 'broker',
      type: 'mqtt-broker',
      broker: '127.0.0.1',
      port: String(brokerPort),
      clientid: 'node-red',
      autoConnect: true,
      usetls: false,
      protocolVersion: '4',
      keepalive: '60',
      cleansession: !isPersistent,
      autoUnsubscribe: false,
    },
    {
      ...at,
      id: 'in',
      type: 'mqtt in',
      topic: 'v3/#',
      qos: '1',
      datatype: 'json',
      broker: 'broker',
      wires: [['decode']],
    },
    {
      ...at,
      id: 'decode',
      type: 'function',
      outputs: 1,
      func: `${readFileSync(driver, 'utf8')}
const { end_device_ids: ids, received_at, uplink_message: uplink } = msg.payload
const { data, errors } = decodeUplink({ bytes: Buffer.from(uplink.frm_payload, 'base64'), fPort: uplink.f_port })
if (errors) { node.error(errors.join(), msg); return null }
return { device: ids.dev_eui, time: uplink.received_at ?? received_at, body: msg.payload, data }`,
      wires: [['store']],
    },
    {
      ...at,
      id: 'store',
      type: 'function',
      outputs: 0,
      initialize: `const { Pool } = global.get('pg')
context.set('pool', new Pool({ ...global.get('database'), max: ${poolMax} }))`,
      func: `try {
  await context.get('pool').query({ name: 'store', text: ${JSON.stringify(insert)}, values:
    [msg.device, msg.time, JSON.stringify(msg.body), Object.keys(msg.data), Object.values(msg.data)] })
} catch (error) { node.error(error.message, msg) }`,
      wires: [],
    },
  ]
}
