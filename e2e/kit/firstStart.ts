import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { startOn } from './platform.ts'
import { type Place, prepareData } from './server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** data folder after a first start: the database with its tables, the administrator, bundled drivers */
    firstData: string
    /** the platform that most files share, each with an account of its own */
    sharedPlace: Place
  }
}

/** Runs a first start once for all files, and the platform that most of them share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await prepareData()
  const shared = await startOn(folder)
  project.provide('firstData', folder)
  const { url, mqttPort, dataDir } = shared
  project.provide('sharedPlace', { url, mqttPort, dataDir })
  return async () => {
    await shared[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
}
