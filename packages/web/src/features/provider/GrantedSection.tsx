import type { GrantedApplication } from '@leitstand/contract'
import { Button, Stack, Text } from '@mantine/core'
import { IconApps } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { thingIcon } from '../../ui/display/icons.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import classes from './oauth.module.css'
import { ScopeList } from './ScopeList.tsx'

const firstShown = 10
const allShown = 200

/** Applications with access to the user's account, and revoking it. */
export default function GrantedSection() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [limit, setLimit] = useState(firstShown)
  const [ending, setEnding] = useState<GrantedApplication | null>(null)
  const granted = useQuery(api.application.granted.queryOptions({ input: { limit } }))
  const close = () => {
    setEnding(null)
    void cache.invalidateQueries({ queryKey: api.application.granted.key() })
  }
  return (
    <Section title={t('oauth.granted.title')} description={t('oauth.granted.hint')}>
      {granted.isLoadingError ? (
        <ErrorState error={granted.error} onRetry={() => void granted.refetch()} compact />
      ) : granted.data ? (
        <Stack gap={0}>
          {granted.data.total === 0 ? (
            <Text size="sm" c="dimmed">
              {t('oauth.granted.empty')}
            </Text>
          ) : null}
          <ul className={classes.granted}>
            {granted.data.items.map((application) => (
              <Row key={application.id} application={application} onEnd={() => setEnding(application)} />
            ))}
          </ul>
          {granted.data.total > granted.data.items.length && limit < allShown ? (
            <Button variant="subtle" onClick={() => setLimit(allShown)} style={{ alignSelf: 'start' }}>
              {t('oauth.granted.more', { count: granted.data.total - granted.data.items.length })}
            </Button>
          ) : null}
        </Stack>
      ) : (
        <Loading lines={2} />
      )}
      {ending ? (
        <ConfirmDanger
          opened
          onClose={close}
          title={t('oauth.granted.end')}
          text={t('oauth.granted.endText', { title: ending.title })}
          confirmLabel={t('oauth.granted.end')}
          onConfirm={async () => {
            await client.application.revoke({ id: ending.id })
            notifySuccess(t('oauth.granted.ended', { title: ending.title }))
          }}
        />
      ) : null}
    </Section>
  )
}

function Row({ application, onEnd }: { application: GrantedApplication; onEnd: () => void }) {
  const { t } = useTranslation()
  const { title, accountName, lastUsedAt, grantedAt, icon, scopes } = application
  return (
    <li className={classes.application}>
      <Icon of={thingIcon(icon, IconApps)} />
      <Stack gap={6} className={classes.applicationText}>
        <div>
          <Text size="sm" fw={550}>
            {title}
          </Text>
          <Text size="xs" c="dimmed">
            {accountName}
            {' · '}
            {t('oauth.granted.used')} <RelativeTime time={lastUsedAt} empty={t('oauth.granted.never')} />
            {' · '}
            {t('oauth.granted.since')} <RelativeTime time={grantedAt} />
          </Text>
        </div>
        <ScopeList scopes={scopes} />
      </Stack>
      <Button
        variant="default"
        size="compact-md"
        onClick={onEnd}
        aria-label={t('oauth.granted.endNamed', { title })}
      >
        {t('oauth.granted.end')}
      </Button>
    </li>
  )
}
