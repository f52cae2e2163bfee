import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { prepareData } from './server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** folder of data as a first start leaves it: the database with its tables, the administrator, delivered drivers */
    firstData: string
  }
}

/** Does once for all files what a first start does. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = await prepareData()
  project.provide('firstData', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
