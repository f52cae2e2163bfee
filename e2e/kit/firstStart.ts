import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { prepareData } from './server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** data folder after a first start: the database with its tables, the administrator, bundled drivers */
    firstData: string
  }
}

/** Runs a first start once for all files. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = await prepareData()
  project.provide('firstData', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
