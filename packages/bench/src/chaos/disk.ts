import { execFile } from 'node:child_process'
import { mkdirSync, statfsSync } from 'node:fs'
import { promisify } from 'node:util'
import { descendantsOf, listProcesses, type Process } from './procfs.ts'

const run = promisify(execFile)
const attemptsMax = 20

/** The file system of the data folder, which can be filled up. */
export interface Disk extends AsyncDisposable {
  /**
   * `tmpfs`: a separate file system, shrunk to its content. `file size limit`: the system rejects writes of
   * the database's processes, which PostgreSQL treats as a full disk. `none`: neither works here, which may
   * only show on the first attempt.
   */
  readonly kind: 'tmpfs' | 'file size limit' | 'none'
  /**
   * Leaves no room; may be called again for space freed since.
   * @param server parent process of the database's processes
   */
  fill(server: number): Promise<void>
  free(): Promise<void>
}

/**
 * Creates a folder whose space can be taken away.
 * @param path an empty folder, used as the mount point
 * @param bytesMax capacity while there is room
 */
export async function openDisk(path: string, bytesMax: number): Promise<Disk> {
  mkdirSync(path, { recursive: true, mode: 0o711 })
  if (await succeeds('mount', ['-t', 'tmpfs', '-o', `size=${bytesMax},mode=0711`, 'tmpfs', path]))
    return tmpfs(path, bytesMax)
  if (await succeeds('prlimit', ['--version'])) return fileSizeLimit()
  const nothing = async () => undefined
  return { kind: 'none', fill: nothing, free: nothing, [Symbol.asyncDispose]: nothing }
}

function tmpfs(path: string, bytesMax: number): Disk {
  const resize = (bytes: number) => run('mount', ['-o', `remount,size=${bytes}`, path])
  return {
    kind: 'tmpfs',
    fill: async () => {
      for (let attempt = 1; ; attempt++) {
        const { blocks, bfree, bsize } = statfsSync(path)
        try {
          await resize((blocks - bfree) * bsize)
          return
        } catch (error) {
          // Data was written in between.
          if (attempt === attemptsMax) throw error
        }
      }
    },
    free: async () => void (await resize(bytesMax)),
    // Lazily: a file that is still held open anywhere must not leave the mount behind.
    [Symbol.asyncDispose]: async () => void (await run('umount', ['-l', path])),
  }
}

function fileSizeLimit(): Disk {
  let limited: Process[] = []
  let kind: Disk['kind'] = 'file size limit'
  /** Only the soft limit, which can be raised again. @returns whether it applies to any process */
  const limit = async (size: string) => {
    const done = await Promise.all(
      limited.map(({ pid }) => succeeds('prlimit', [`--pid=${pid}`, `--fsize=${size}:`])),
    )
    return done.includes(true)
  }
  return {
    get kind() {
      return kind
    },
    fill: async (server) => {
      limited = descendantsOf(server, listProcesses()).filter(({ command }) => /\bpostgres\b/.test(command))
      // Some processes may have ended since, but not all: then it is not permitted.
      if (limited.length > 0 && !(await limit('0'))) kind = 'none'
    },
    free: async () => {
      await limit('unlimited')
      limited = []
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  try {
    await run(program, [...args])
    return true
  } catch {
    return false
  }
}
