import { useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { JobRows } from './JobRows.tsx'
import { hasRows } from './progress.ts'

/** What came of each device of a job; nothing for jobs that do not tell. */
export function JobResults({ id }: { id: number }) {
  const job = useQuery(api.job.get.queryOptions({ input: { id } }))
  return job.data && hasRows(job.data) ? <JobRows job={job.data} /> : null
}
