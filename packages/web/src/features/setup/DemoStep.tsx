import type { Demo } from '@leitstand/contract/setup'
import { Alert, Button, Stack } from '@mantine/core'
import { IconAlertTriangle, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { JobPanel } from '../jobs/index.ts'
import classes from './setup.module.css'

/** The demo city: what deleting it deletes, the deletion and its progress. */
export default function DemoStep({ onChanged }: { onChanged: () => Promise<unknown> }) {
  const { t } = useTranslation()
  const { data, isLoadingError, error, refetch } = useQuery(api.setup.demo.queryOptions({ staleTime: 0 }))
  if (isLoadingError) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading lines={4} />
  if (!data.demo) return <Alert color="gray">{t('setup.demo.none')}</Alert>
  return <Present demo={data.demo} onChanged={onChanged} />
}

function Present({ demo, onChanged }: { demo: Demo; onChanged: () => Promise<unknown> }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const { accountId, name, contents, blockers, job } = demo
  const isRunning = job !== null && job.stoppedAt === null
  const remove = async () => {
    try {
      await client.setup.removeDemo({ accountId, virtualDevices: contents.virtualDevices })
    } finally {
      // What was shown may be out of date: that can be why it was refused.
      await onChanged()
    }
  }
  const follow = () => {
    void onChanged()
    void cache.invalidateQueries({ queryKey: api.tenant.key() })
  }
  return (
    <Stack gap="md">
      <Section title={name} description={t('setup.demo.contents')}>
        <div className={classes.facts}>
          {(Object.keys(contents) as (keyof typeof contents)[]).map((key) => (
            <Fact key={key} label={t(`setup.demo.count.${key}`)}>
              <span className="tabular">{formatNumber(contents[key], 0)}</span>
            </Fact>
          ))}
        </div>
      </Section>
      {blockers.length > 0 && !isRunning ? (
        <Alert color="yellow" icon={<Icon of={IconAlertTriangle} />} title={t('setup.demo.blocked')}>
          <ul>
            {blockers.map(({ kind, id, title }) => (
              <li key={`${kind} ${id}`}>{t(`setup.demo.blocker.${kind}`, { title })}</li>
            ))}
          </ul>
        </Alert>
      ) : null}
      {job ? <JobPanel id={job.id} onChange={follow} /> : null}
      {isRunning ? null : (
        <div>
          <Button
            color="red"
            variant="light"
            leftSection={<Icon of={IconTrash} />}
            disabled={blockers.length > 0}
            onClick={() => setAsking(true)}
          >
            {t('setup.demo.remove')}
          </Button>
        </div>
      )}
      <ConfirmDanger
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t('setup.demo.removeTitle', { name })}
        text={t('setup.demo.removeText', { count: contents.virtualDevices })}
        confirmLabel={t('setup.demo.remove')}
        typeToConfirm={name}
        onConfirm={remove}
      />
    </Stack>
  )
}
