import { Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../../lib/api.ts'
import { JobPanel, JobResults } from '../../jobs/index.ts'
import { forgetDevices, invalidateTemplates, type Template } from '../queries.ts'
import { ChangeList } from './ChangeList.tsx'
import { PublishSection } from './PublishSection.tsx'

/** Changes not applied to the devices yet, applying them, and the result. */
export function ChangesTab({ template, unsaved }: { template: Template; unsaved: boolean }) {
  const cache = useQueryClient()
  const { jobId } = template
  return (
    <Stack gap="md">
      <PublishSection template={template} unsaved={unsaved} />
      {jobId === null ? null : (
        <>
          <JobPanel
            key={jobId}
            id={jobId}
            onChange={() => {
              void invalidateTemplates(cache)
              forgetDevices(cache)
              void cache.invalidateQueries({ queryKey: api.job.rows.key({ input: { id: jobId } }) })
            }}
          />
          <JobResults id={jobId} />
        </>
      )}
      <ChangeList template={template} />
    </Stack>
  )
}
