import type { Driver } from '../queries.ts'

type Versions = Pick<Driver, 'publishedVersion' | 'latestVersion' | 'versions'>

/**
 * The version that is opened for editing: a draft written since the last publication, else the one in use. After a
 * roll-back the newer versions are not in use any more and stay in the list of versions.
 */
export function editedVersion({ publishedVersion, latestVersion, versions }: Versions): number {
  const of = (number: number | null) => versions.find((version) => version.number === number)
  const [running, latest] = [of(publishedVersion), of(latestVersion)]
  if (!running?.publishedAt || !latest) return latestVersion
  return latest.createdAt > running.publishedAt ? latestVersion : running.number
}

/** The newest version delivered with the platform, if the one in use was written here. */
export function deliveredVersion({
  modified,
  versions,
}: Pick<Driver, 'modified' | 'versions'>): number | null {
  if (!modified) return null
  const numbers = versions.filter(({ delivered }) => delivered).map(({ number }) => number)
  return numbers.length === 0 ? null : Math.max(...numbers)
}

/** What is compared first: a changed delivered driver with its origin, else the last change. */
export function firstPair(
  driver: Pick<Driver, 'modified' | 'versions' | 'publishedVersion'>,
): [number, number] | null {
  const origin = deliveredVersion(driver)
  if (origin !== null && driver.publishedVersion !== null) return [origin, driver.publishedVersion]
  const [newest, before] = driver.versions.map(({ number }) => number).sort((a, b) => b - a)
  return newest !== undefined && before !== undefined ? [before, newest] : null
}
