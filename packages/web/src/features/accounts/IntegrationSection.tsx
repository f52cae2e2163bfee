import { Badge, Button, Group, List, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import type { Account, Integration } from './queries.ts'
import { sinceText } from './texts.ts'

/** URL for a Grafana data source; Grafana appends `/query`. */
const queryAddress = `${window.location.origin}/xapi/v1/influxdb`
const opened = ['queries', 'who', 'below'] as const

/** A setting that cannot be switched off again; the user confirms with the account's name. */
export function IntegrationSection({ id, account }: { id: string; account: Account }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [asking, setAsking] = useState<Integration['integration'] | null>(null)
  const found = useQuery(api.tenant.listIntegrations.queryOptions({ input: { id: account.id } }))
  const activate = async (integration: Integration['integration']) => {
    await client.tenant.activateIntegration({ id: account.id, integration, name: account.name })
    await cache.invalidateQueries({ queryKey: api.tenant.listIntegrations.key() })
    notifySuccess(t('integrations.activatedNote', { name: t(`integrations.name.${integration}`) }))
  }
  return (
    <Section id={id} title={t('accounts.section.integrations')} description={t('integrations.hint')}>
      {found.isPending ? <Loading lines={2} /> : null}
      {found.isLoadingError ? (
        <ErrorState error={found.error} compact onRetry={() => void found.refetch()} />
      ) : null}
      <Stack gap="xl">
        {found.data?.items.map((one) => (
          <Stack key={one.integration} gap="sm" align="flex-start">
            <Group gap={8}>
              <Title order={3}>{t(`integrations.name.${one.integration}`)}</Title>
              <Badge variant="default" size="sm" fw={500} tt="none">
                {t(one.active ? 'integrations.active' : 'integrations.inactive')}
              </Badge>
            </Group>
            <Text size="sm">{t(`integrations.about.${one.integration}`)}</Text>
            <List size="sm" spacing={4}>
              {opened.map((point) => (
                <List.Item key={point}>{t(`integrations.opens.${one.integration}.${point}`)}</List.Item>
              ))}
            </List>
            {one.active ? (
              <>
                {one.integration === 'timeSeries' ? (
                  <Fact label={t('integrations.address')}>{queryAddress}</Fact>
                ) : null}
                <Text size="sm" c="dimmed">
                  {sinceText(t, one)}
                </Text>
              </>
            ) : (
              <Button variant="default" onClick={() => setAsking(one.integration)}>
                {t('integrations.activate')}
              </Button>
            )}
          </Stack>
        ))}
      </Stack>
      <ConfirmDanger
        opened={asking !== null}
        onClose={() => setAsking(null)}
        title={t('integrations.activateTitle', { name: t(`integrations.name.${asking ?? 'timeSeries'}`) })}
        text={t('integrations.activateText', { account: account.name })}
        confirmLabel={t('integrations.activateConfirm')}
        typeToConfirm={account.name}
        onConfirm={async () => (asking === null ? undefined : activate(asking))}
      />
    </Section>
  )
}
