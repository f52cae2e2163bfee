import { expect, test } from 'vitest'
import { foreignMessage } from './index.ts'
import { packetsPerMessageMax, standard } from './standard.ts'

const read = (body: unknown, topic?: string) =>
  standard(
    foreignMessage(
      typeof body === 'string' ? body : JSON.stringify(body),
      topic === undefined ? {} : { topic },
    ),
  )
const packets = (body: unknown, topic?: string) => read(body, topic).packets.map(({ packet }) => packet)

test('one packet or an array, data or payload, bytes or JSON', () => {
  expect(packets({ identifier: 'meter-7', data: '0a1b' })).toEqual([
    { identifier: 'meter-7', payload: '0a1b' },
  ])
  expect(
    packets([
      { identifier: 'a', payload: { level: 3 } },
      { identifier: 4711, data: false, meta: { lora: { fport: 2 } } },
      { identifier: 'c', data: 'CgsM', encoding: 'base64' },
    ]),
  ).toEqual([
    { identifier: 'a', payload: { level: 3 } },
    { identifier: '4711', payload: false, meta: { lora: { fport: 2 } } },
    { identifier: 'c', payload: '0a0b0c' },
  ])
})

test('times of every kind become ISO text', () => {
  const iso = '2026-03-04T05:06:07.000Z'
  for (const time of [iso, '2026-03-04 05:06:07', 1_772_600_767, '1772600767000', 1_772_600_767_000_000]) {
    expect(packets({ identifier: 'a', data: 1, time })).toEqual([{ identifier: 'a', payload: 1, time: iso }])
  }
})

test('routing packets carry one pair and one value', () => {
  const packet = {
    routing: { meterNo: '0815' },
    variable: 'energy',
    data: { value: 12.5, time: '2026-01-02' },
  }
  expect(packets([packet, { ...packet, routing: { room: 12 }, data: { value: 'open' } }])).toEqual([
    { ...packet, data: { value: 12.5, time: '2026-01-02T00:00:00.000Z' } },
    { routing: { room: '12' }, variable: 'energy', data: { value: 'open' } },
  ])
})

test.each([
  [[1], 'A packet must be an object'],
  [{ data: 1 }, 'A packet needs "identifier" or "routing"'],
  [{ identifier: 'x'.repeat(201), data: 1 }, '"identifier" may have 200 characters'],
  [{ identifier: 'a' }, 'A packet needs "data" or "payload"'],
  [{ identifier: 'a', data: null }, 'A packet needs "data" or "payload"'],
  [{ identifier: 'a', data: 1, time: 'yesterday' }, '"time" is no time'],
  [{ identifier: 'a', data: 1, meta: 'm' }, '"meta" must be an object'],
  [{ identifier: 'a', data: '%%', encoding: 'base64' }, 'The payload is not base64'],
  [{ routing: {}, variable: 'v', data: { value: 1 } }, '"routing" must be an object with exactly one pair'],
  [
    { routing: { a: '1', b: '2' }, variable: 'v', data: { value: 1 } },
    '"routing" must be an object with exactly one pair',
  ],
  [
    { routing: { a: {} }, variable: 'v', data: { value: 1 } },
    'The value of "routing" must be text or a number',
  ],
  [
    { routing: { ['x'.repeat(201)]: '1' }, variable: 'v', data: { value: 1 } },
    'Name and value of "routing" may have 200 characters',
  ],
  [
    { routing: { a: 'x'.repeat(201) }, variable: 'v', data: { value: 1 } },
    'Name and value of "routing" may have 200 characters',
  ],
  [{ identifier: ' ', data: 1 }, 'A packet needs "identifier" or "routing"'],
  [{ identifier: 'a', data: {}, encoding: 'base64' }, 'The payload is not base64'],
  [
    { routing: { a: '1' }, variable: 'x'.repeat(201), data: { value: 1 } },
    '"variable" must be the key of a state',
  ],
  [{ routing: { a: '1' }, variable: 'v', data: {} }, '"data" must be {"value": …, "time": …}'],
  [{ routing: { a: '1' }, data: { value: 1 } }, '"variable" must be the key of a state'],
  [{ routing: { a: '1' }, variable: 'v', data: 3 }, '"data" must be {"value": …, "time": …}'],
  [{ routing: { a: '1' }, variable: 'v', data: { value: 1, time: 'x' } }, '"data.time" is no time'],
])('%j is refused: %s', (body, reason) => {
  const { packets, refused } = read(body)
  expect(packets).toEqual([])
  expect(refused).toEqual([expect.objectContaining({ code: 'PACKET_INVALID', message: reason })])
})

test('a bad packet does not stop the others', () => {
  const { packets, refused } = read([{ identifier: 'a', data: 1 }, 'rubbish', { identifier: 'b', data: 2 }])
  expect(packets.map(({ packet }) => packet)).toEqual([
    { identifier: 'a', payload: 1 },
    { identifier: 'b', payload: 2 },
  ])
  expect(refused).toEqual([
    { raw: '"rubbish"', identifier: null, code: 'PACKET_INVALID', message: 'A packet must be an object' },
  ])
})

test('over MQTT the last level of the topic names the device', () => {
  const topic = 'city/water/well-3'
  expect(packets('21.5', topic)).toEqual([{ identifier: 'well-3', payload: 21.5 }])
  expect(packets('0aFF', topic)).toEqual([{ identifier: 'well-3', payload: '0aFF' }])
  expect(packets({ level: 2 }, topic)).toEqual([{ identifier: 'well-3', payload: { level: 2 } }])
  expect(packets([1, 2], topic)).toEqual([{ identifier: 'well-3', payload: [1, 2] }])
  expect(packets({ data: { level: 2 }, time: '2026-01-02' }, topic)).toEqual([
    { identifier: 'well-3', payload: { level: 2 }, time: '2026-01-02T00:00:00.000Z' },
  ])
  expect(packets({ identifier: 'other', data: 1 }, topic)).toEqual([{ identifier: 'other', payload: 1 }])
  expect(read('no bytes', topic).refused).toEqual([
    expect.objectContaining({ code: 'PACKET_INVALID', message: 'The message is not JSON' }),
  ])
})

test('without a topic text is no packet, and a message has a bound', () => {
  expect(read('{broken').refused[0]?.message).toBe('The message is not JSON')
  const many = Array.from({ length: packetsPerMessageMax + 1 }, () => ({ identifier: 'a', data: 1 }))
  expect(read(many)).toEqual({
    packets: [],
    refused: [expect.objectContaining({ code: 'PACKET_TOO_LARGE' })],
  })
})

test('names may be as long as allowed, and blanks around an identifier are left out', () => {
  const name = 'x'.repeat(200)
  expect(packets({ identifier: ` ${name} `, data: 1 })).toEqual([{ identifier: name, payload: 1 }])
  const routed = { routing: { [name]: name }, variable: name, data: { value: 1 } }
  expect(packets(routed)).toEqual([routed])
  expect(packets({ ...routed, meta: { gateway: 'g' } })).toEqual([{ ...routed, meta: { gateway: 'g' } }])
  expect(read({ identifier: `${name}y`, data: 1 }).refused[0]?.identifier).toBe(name)
})

test.each([null, ''])('the time %j is none', (time) => {
  expect(packets({ identifier: 'a', data: 1, time })).toEqual([{ identifier: 'a', payload: 1 }])
})

test('what is refused is kept as it came, a part of many alone', () => {
  const text = '{ "identifier": "a" }'
  expect(read(text).refused[0]?.raw).toBe(text)
  expect(read(`[${text}, 1]`).refused.map(({ raw }) => raw)).toEqual(['{"identifier":"a"}', '1'])
})

test('a message may carry as many packets as allowed', () => {
  const many = Array.from({ length: packetsPerMessageMax }, () => ({ identifier: 'a', data: 1 }))
  expect(packets(many)).toHaveLength(packetsPerMessageMax)
  expect(read([...many, ...many]).refused[0]?.message).toBe('A message may carry 10000 packets')
})

test.each([
  ['[]', []],
  ['[{"data":1},2]', [{ data: 1 }, 2]],
])('over MQTT %s is data', (body, payload) => {
  expect(packets(body, 'city/well-3')).toEqual([{ identifier: 'well-3', payload }])
})

test('over MQTT a packet may route to twins, or carry only a payload', () => {
  const routed = { routing: { a: '1' }, variable: 'v', data: { value: 1 } }
  expect(packets(routed, 'city/well-3')).toEqual([routed])
  expect(packets({ payload: 7 }, 'city/well-3')).toEqual([{ identifier: 'well-3', payload: 7 }])
})

test.each(['', '0a0', 'xx0a', '0axx', '0a\n0b'])('over MQTT the text %j is not bytes', (text) => {
  expect(packets(text, 'city/well-3')).toEqual([])
})

test('base64 may be empty, or digits', () => {
  expect(packets({ identifier: 'a', data: '', encoding: 'base64' })).toEqual([
    { identifier: 'a', payload: '' },
  ])
  expect(packets({ identifier: 'a', data: 1234, encoding: 'base64' })).toEqual([
    { identifier: 'a', payload: 'd76df8' },
  ])
})

test('blanks around bytes are left out', () => {
  expect(packets(' 0a0b\n', 'city/well-3')).toEqual([{ identifier: 'well-3', payload: '0a0b' }])
  expect(packets('0a0b')).toEqual([])
})
