import { useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { JobRows } from './JobRows.tsx'
import { hasRows } from './progress.ts'

/** Results per device of a job; nothing for jobs without rows. */
export function JobResults({ id }: { id: number }) {
  const job = useQuery(api.job.get.queryOptions({ input: { id } }))
  return job.data && hasRows(job.data) ? <JobRows job={job.data} /> : null
}
