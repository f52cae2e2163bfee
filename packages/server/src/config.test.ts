import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

describe('readConfig', () => {
  test('an empty environment gives the documented defaults', () => {
    const { nodeName, ...config } = readConfig({}, '/srv/leitstand')
    expect(nodeName).toMatch(/^[\w-]{1,64}$/)
    expect(config).toEqual({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: 'http://localhost:8080',
      dataDir: '/srv/leitstand/data',
      databaseConnections: 20,
      databaseReadLagSeconds: 10,
      mqttPort: 1883,
      mailFrom: 'Leitstand <leitstand@localhost>',
      adminEmail: 'admin@localhost',
      supportEmail: 'admin@localhost',
      demo: true,
      roles: ['web', 'connect', 'ingest', 'derive', 'jobs'],
      nats: null,
      packetStreamBytes: 1024 * 1024 * 1024,
      isPacketStreamNew: false,
      checkEvents: false,
      accountMessagesPerSecond: 0,
      compactAfterDays: 7,
      ruleMailsPerHour: 1000,
      scriptIsolation: 'shared',
      allowedNetworks: [],
      dnsServers: [],
      mapStyles: [],
      geocoder: null,
      localMap: null,
      demoMap: null,
      mapTiles: null,
      metrics: {},
      trustedProxies: ['loopback'],
      signInsPerMinute: 100,
      sessionIdleMinutes: 20_160,
      sessionMaxHours: 720,
      logLevel: 'info',
    })
  })

  test('all problems are listed at once', () => {
    const env = {
      PORT: '70000',
      DATABASE_URL: 'mysql://x',
      ADMIN_PASSWORD: 'short',
      LOG_LEVEL: 'loud',
      DEMO: 'maybe',
    }
    let problems: readonly string[] = []
    try {
      readConfig(env, '/')
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems = error.problems
    }
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'PORT',
      'DATABASE_URL',
      'ADMIN_PASSWORD',
      'DEMO',
      'LOG_LEVEL',
    ])
  })

  test.each([
    [{}, true],
    [{ DATABASE_URL: 'postgres://db/leitstand' }, false],
    [{ DATABASE_URL: 'postgres://db/leitstand', DEMO: '1' }, true],
    [{ DEMO: '0' }, false],
    [{ DEMO: '' }, true],
  ])('the demo is on with the embedded database only, unless said otherwise: %j', (env, expected) => {
    expect(readConfig(env, '/').demo).toBe(expected)
  })

  test('the public address follows host and port, loses its trailing slash and keeps its path', () => {
    expect(readConfig({ HOST: '0.0.0.0', PORT: '9000' }, '/').publicUrl).toBe('http://localhost:9000')
    expect(readConfig({ HOST: '::1', PORT: '9000' }, '/').publicUrl).toBe('http://localhost:9000')
    expect(readConfig({ PUBLIC_URL: 'https://iot.example.org/x/' }, '/').publicUrl).toBe(
      'https://iot.example.org/x',
    )
  })

  test('the TLS settings of the MQTT broker come together, with files that exist', () => {
    const folder = fileURLToPath(new URL('../test/certificates', import.meta.url))
    const env = { MQTT_TLS_PORT: '8883', MQTT_TLS_CERT: 'localhost.crt', MQTT_TLS_KEY: 'localhost.key' }
    expect(readConfig(env, folder).mqttTls).toEqual({
      port: 8883,
      certFile: `${folder}/localhost.crt`,
      keyFile: `${folder}/localhost.key`,
    })
    expect(() => readConfig({ MQTT_TLS_PORT: '8883' }, folder)).toThrow('belong together')
    expect(() => readConfig({ ...env, MQTT_TLS_KEY: 'none' }, folder)).toThrow('MQTT_TLS_KEY must be a file')
  })

  test('a read replica needs a database of its own, and a bound within reason', () => {
    const urls = { DATABASE_URL: 'postgres://db/x', DATABASE_READ_URL: 'postgres://replica/x' }
    expect(readConfig(urls, '/')).toMatchObject({
      databaseReadUrl: 'postgres://replica/x',
      databaseConnections: 20,
      databaseReadLagSeconds: 10,
    })
    expect(() => readConfig({ ...urls, DATABASE_URL: '' }, '/')).toThrow(
      'DATABASE_READ_URL needs DATABASE_URL',
    )
    for (const seconds of ['0', '301', '1.5', 'x'])
      expect(() => readConfig({ ...urls, DATABASE_READ_LAG_SECONDS: seconds }, '/')).toThrow(
        'DATABASE_READ_LAG_SECONDS',
      )
  })

  test('the connections of a pool are at least as many as work at the same time needs', () => {
    expect(readConfig({ DATABASE_CONNECTIONS: '8' }, '/').databaseConnections).toBe(8)
    expect(readConfig({}, '/').databaseConnections).toBe(20)
    for (const connections of ['4', '61', '7.5', 'x'])
      expect(() => readConfig({ DATABASE_CONNECTIONS: connections }, '/')).toThrow('DATABASE_CONNECTIONS')
  })

  test('a direct address is for a database behind a pooler', () => {
    const urls = { DATABASE_URL: 'postgres://pooler/x', DATABASE_DIRECT_URL: 'postgres://db/x' }
    expect(readConfig(urls, '/')).toMatchObject({ databaseDirectUrl: 'postgres://db/x' })
    expect(() => readConfig({ ...urls, DATABASE_URL: '' }, '/')).toThrow(
      'DATABASE_DIRECT_URL needs DATABASE_URL',
    )
  })

  test('the configuration cannot be changed afterwards', () => {
    expect(Object.isFrozen(readConfig({}, '/'))).toBe(true)
  })
})

test('metrics and proxies', () => {
  expect(readConfig({}, '/')).toMatchObject({ metrics: {}, trustedProxies: ['loopback'] })
  const env = {
    METRICS_PORT: '9100',
    METRICS_TOKEN: 'a-token-for-metrics',
    TRUSTED_PROXIES: '10.0.0.0/24, fd00::1',
  }
  expect(readConfig(env, '/')).toMatchObject({
    metrics: { listen: { host: '127.0.0.1', port: 9100 }, token: 'a-token-for-metrics' },
    trustedProxies: ['loopback', '10.0.0.0/24', 'fd00::1'],
  })
  for (const wrong of [
    { TRUSTED_PROXIES: '0.0.0.0/0' },
    { TRUSTED_PROXIES: 'proxy' },
    { METRICS_TOKEN: 'short' },
    { METRICS_TOKEN: 'with a space in it' },
  ])
    expect(() => readConfig(wrong, '/')).toThrow(ConfigError)
})
