import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'

const log = createLog('silent')
/** a data folder whose database was started and stopped once; creating one takes longer than most tests */
let used: string
let dataDir: string
let children: ChildProcess[]

beforeAll(async () => {
  used = newFolder()
  await (await startEmbedded({ dataDir: used, log }))[Symbol.asyncDispose]()
})
afterAll(() => rmSync(used, { recursive: true, force: true }))
beforeEach(() => {
  dataDir = newFolder()
  children = []
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

const newFolder = () => mkdtempSync(join(tmpdir(), 'leitstand-embedded-'))
const start = () => startEmbedded({ dataDir, log })
/** Starts the test with a folder that was in use before, with its original owner. */
const takeUsedFolder = () => void execFileSync('cp', ['-a', `${used}/.`, dataDir])

async function query<T extends pg.QueryResultRow>(server: EmbeddedPostgres, sql: string): Promise<T[]> {
  const client = new pg.Client({ ...server.connection, database: 'postgres' })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Another process that holds the database. */
async function startElsewhere(): Promise<{ child: ChildProcess; pid: number }> {
  const script = fileURLToPath(new URL('../../../test/embeddedServer.ts', import.meta.url))
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return { child, pid: (JSON.parse(String(line)) as { pid: number }).pid }
}

describe('the embedded database', () => {
  test('keeps its data over a stop, and is safe against a power cut', async () => {
    {
      await using first = await start()
      await query(first, 'create table kept as select 42 as value')
      const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'TimeZone']
      const settings = await query<{ name: string; setting: string }>(
        first,
        `select name, setting from pg_settings where name = any('{${names.join(',')}}')`,
      )
      expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
        fsync: 'on',
        synchronous_commit: 'on',
        full_page_writes: 'on',
        listen_addresses: '',
        TimeZone: 'UTC',
      })
    }
    await using second = await start()
    expect(await query(second, 'select value from kept')).toEqual([{ value: 42 }])
  })

  test('outlives a hard end of the server: the database left running is taken over with its data', async () => {
    takeUsedFolder()
    const { child, pid } = await startElsewhere()
    child.kill('SIGKILL')
    await once(child, 'exit')
    process.kill(pid, 0)
    await using server = await start()
    expect(server.pid()).not.toBe(pid)
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('outlives a hard end of itself: it is started again and keeps what was committed', async () => {
    takeUsedFolder()
    await using server = await start()
    await query(server, 'create table kept as select 42 as value')
    const before = server.pid()
    process.kill(before, 'SIGKILL')
    while (!(await query(server, 'select 1').catch(() => null)) || server.pid() === before) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await query(server, 'select value from kept')).toEqual([{ value: 42 }])
  })

  test('waits for what is left of itself when only its first process was killed', async () => {
    takeUsedFolder()
    await using server = await start()
    const client = new pg.Client({ ...server.connection, database: 'postgres' })
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const backend = rows[0]?.pid ?? 0
    process.kill(backend, 'SIGSTOP')
    process.kill(server.pid(), 'SIGKILL')
    await expect.poll(() => readFileSync(join(dataDir, 'postgres.log'), 'utf8')).toContain('is still in use')
    process.kill(backend, 'SIGCONT')
    await expect.poll(() => query(server, 'select 1 as one').catch(() => null)).toEqual([{ one: 1 }])
    await client.end().catch(() => undefined)
  })

  test('is not misled by a pid file whose number belongs to another program now', async () => {
    takeUsedFolder()
    const file = join(dataDir, 'postgres/postmaster.pid')
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, `${process.pid}\n${join(dataDir, 'postgres')}\n1\n5432\n\n\n`)
    await using second = await start()
    expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(String(second.pid()))
  })

  test('is not misled by a lock of its socket, either', async () => {
    takeUsedFolder()
    const cluster = join(dataDir, 'postgres')
    const { uid, gid } = statSync(cluster)
    // Another program of the same user now has this pid.
    const other = spawn('sleep', ['600'], { uid, gid, cwd: '/', stdio: 'ignore' })
    children.push(other)
    await once(other, 'spawn')
    mkdirSync(join(dataDir, 'run'), { recursive: true })
    writeFileSync(
      join(dataDir, 'run/.s.PGSQL.5432.lock'),
      `${other.pid}\n${cluster}\n1\n5432\n${join(dataDir, 'run')}\n`,
    )
    await using second = await start()
    expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  const secret = () => join(dataDir, 'postgres.password')
  const rules = () => join(dataDir, 'postgres/pg_hba.conf')
  /** Whether a client that can reach the socket gets in without the password. */
  const isOpen = async (server: EmbeddedPostgres, password: string) => {
    const client = new pg.Client({ ...server.connection, password, database: 'postgres' })
    client.on('error', () => undefined)
    const answer = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => undefined)
    return answer
  }
  const expectClosed = async (server: EmbeddedPostgres) => {
    expect(await isOpen(server, '')).toBe(false)
    expect(await isOpen(server, 'a guess')).toBe(false)
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
    const [stored] = await query<{ rolpassword: string }>(
      server,
      'select rolpassword from pg_authid where rolcanlogin',
    )
    expect(stored?.rolpassword).toMatch(/^SCRAM-SHA-256\$/)
  }

  test('asks for a password that only the owner can read', async () => {
    await using server = await start()
    await expectClosed(server)
    expect(statSync(secret()).mode & 0o777).toBe(0o600)
    expect(readFileSync(secret(), 'utf8')).toBe(server.connection.password)
    expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).not.toContain(server.connection.password)
  })

  test('closes a folder of a version that asked for none, also when it was cut off in between', async () => {
    for (const [password, cutOff] of [
      [undefined, false],
      [undefined, true],
      ['f'.repeat(64), true],
    ] as const) {
      rmSync(dataDir, { recursive: true, force: true })
      mkdirSync(dataDir)
      takeUsedFolder()
      writeFileSync(rules(), 'local all all trust\nhost all all all reject\n')
      rmSync(secret())
      if (password !== undefined) writeFileSync(secret(), password, { mode: 0o600 })
      if (cutOff) {
        const { child } = await startElsewhere()
        child.kill('SIGKILL')
        await once(child, 'exit')
        // The state before the access rules are written: the password is set, but not required.
        writeFileSync(rules(), 'local all all trust\n')
      }
      await using server = await start()
      await expectClosed(server)
    }
  })

  test('gets another password when the file is lost, or belongs to another time', async () => {
    takeUsedFolder()
    rmSync(secret())
    {
      await using server = await start()
      await expectClosed(server)
    }
    writeFileSync(secret(), 'e'.repeat(64), { mode: 0o600 })
    await using server = await start()
    expect(server.connection.password).toBe('e'.repeat(64))
    await expectClosed(server)
  })

  test('serves one Leitstand at a time', async () => {
    takeUsedFolder()
    const { child } = await startElsewhere()
    await expect(start()).rejects.toThrow('Another Leitstand server already uses this DATA_DIR')
    child.kill('SIGTERM')
    await once(child, 'exit')
    await using server = await start()
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('says why it does not start', async () => {
    takeUsedFolder()
    appendFileSync(join(dataDir, 'postgres/postgresql.conf'), '\nnonsense = 1\n')
    await expect(start()).rejects.toThrow(/did not start: .*contains errors/)
  })

  test('refuses a folder of another major version and leaves it alone', async () => {
    takeUsedFolder()
    const file = join(dataDir, 'postgres/PG_VERSION')
    writeFileSync(file, '17\n')
    await expect(start()).rejects.toThrow('belongs to PostgreSQL 17, this version brings 18')
    writeFileSync(file, '18\n')
    await using again = await start()
    expect(await query(again, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('begins again when the first start was cut off in the middle', async () => {
    const fresh = join(dataDir, 'postgres.new')
    await (await import('node:fs/promises')).mkdir(join(fresh, 'base'), { recursive: true })
    await using server = await start()
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(existsSync(fresh)).toBe(false)
  })

  test('a data folder with a long path gets its socket elsewhere', async () => {
    const deep = join(dataDir, 'a'.repeat(60), 'b'.repeat(60))
    await using server = await startEmbedded({ dataDir: deep, log })
    expect(server.connection.host.length).toBeLessThan(90)
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})
