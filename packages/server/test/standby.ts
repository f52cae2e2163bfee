import { type ChildProcess, spawn } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { asIdentity, chooseIdentity, findBinaries } from '../src/platform/db/binaries.ts'
import type { ClusterConnection } from '../src/platform/db/ownership.ts'

const port = 5432
const settings = {
  listen_addresses: '',
  port: String(port),
  // At least as many as the primary has.
  max_connections: '300',
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  hot_standby: 'on',
  max_standby_streaming_delay: '100ms',
  wal_retrieve_retry_interval: '100ms',
}

/** A streaming replica of an embedded database, made from a copy of its files. */
export class Standby implements AsyncDisposable {
  readonly #folder: string
  #process: ChildProcess | undefined

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** @param cluster the folder of the primary's files */
  static async of(primary: ClusterConnection, cluster: string): Promise<Standby> {
    const folder = mkdtempSync(join(tmpdir(), 'leitstand-standby-'))
    const copy = join(folder, 'cluster')
    const admin = new pg.Client({ ...primary, database: 'postgres' })
    await admin.connect()
    appendFileSync(join(cluster, 'pg_hba.conf'), 'local replication all scram-sha-256\n')
    await admin.query('select pg_reload_conf()')
    await admin.query(`select pg_backup_start('standby', true)`)
    cpSync(cluster, copy, { recursive: true, filter: (path) => !/postmaster\.(pid|opts)$/.test(path) })
    const { rows } = await admin.query('select labelfile from pg_backup_stop(false)')
    await admin.end()
    writeFileSync(join(copy, 'backup_label'), rows[0].labelfile)
    writeFileSync(join(copy, 'standby.signal'), '')
    const { host, user, password } = primary
    const source = `host=${host} port=${primary.port} user=${user} password=${password} application_name=standby`
    writeFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
    const standby = new Standby(folder)
    standby.#giveTo(statSync(cluster))
    await standby.up()
    return standby
  }

  connection(primary: ClusterConnection): ClusterConnection {
    return { ...primary, host: this.#folder, port }
  }

  /** Starts it; resolves when it answers. */
  async up(): Promise<void> {
    const binaries = findBinaries()
    const cluster = join(this.#folder, 'cluster')
    const all = { ...settings, unix_socket_directories: this.#folder }
    const args = [
      '-D',
      cluster,
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]
    const run = asIdentity(chooseIdentity(cluster, binaries), binaries.postgres, args)
    const child = spawn(run.command, run.args, {
      ...run.options,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#process = child
    let said = ''
    const ready = Promise.withResolvers<void>()
    child.stderr.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-20_000)
      if (said.includes('ready to accept read-only connections')) ready.resolve()
    })
    child.once('exit', () => ready.reject(new Error(`the standby did not start: ${said}`)))
    await ready.promise
  }

  /** Ends it at once, like a crash of its machine. */
  async down(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (!child || child.exitCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGQUIT')
    await gone
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** The files belong to the user whose database it is. */
  #giveTo({ uid, gid }: { uid: number; gid: number }): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    chownSync(this.#folder, uid, gid)
    const cluster = join(this.#folder, 'cluster')
    chownSync(cluster, uid, gid)
    for (const path of readdirSync(cluster, { recursive: true }))
      chownSync(join(cluster, String(path)), uid, gid)
  }
}
