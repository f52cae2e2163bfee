import { receivingKinds } from '@leitstand/contract/connectors/kinds/names'
import { Button, Group, Radio, Text, TextInput } from '@mantine/core'
import { IconPlugConnected, IconPlus, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import classes from '../../../ui/forms/cards.module.css'
import type { ConnectorRow } from '../queries.ts'

interface ConnectorStepProps {
  accountId: string | null
  value: string | null
  onChange: (id: string) => void
  /** "Next" was pressed without a choice. */
  missing: boolean
  /** Keeps what was entered, before its user leaves to create a connector. */
  onCreate: () => void
}

/** The connector that receives the device's data. */
export function ConnectorStep({ accountId, value, onChange, missing, onCreate }: ConnectorStepProps) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const list = useQuery(
    api.bridge.list.queryOptions({
      input: {
        accountIds: accountId === null ? undefined : [Number(accountId)],
        search: text.trim() || undefined,
        kinds: receivingKinds,
        limit: 50,
      },
      placeholderData: keepPreviousData,
    }),
  )
  if (list.isLoadingError) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  if (!list.data) return <Loading />
  const create = <CreateConnector onCreate={onCreate} />
  if (list.data.total === 0 && text === '') {
    return (
      <EmptyState
        icon={IconPlugConnected}
        title={t('devices.wizard.noConnector')}
        text={t('devices.wizard.noConnectorText')}
        action={create}
        compact
      />
    )
  }
  return (
    <Radio.Group
      label={t('devices.wizard.connectorQuestion')}
      description={t('devices.wizard.connectorHint')}
      value={value}
      onChange={onChange}
      error={missing ? t('devices.wizard.connectorMissing') : undefined}
    >
      <Group justify="space-between" mt="sm" gap="sm">
        <TextInput
          w={320}
          maw="100%"
          aria-label={t('devices.wizard.searchConnector')}
          placeholder={t('devices.wizard.searchConnector')}
          leftSection={<Icon of={IconSearch} size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {create}
      </Group>
      <div className={classes.cards}>
        {list.data.items.map((connector) => (
          <ConnectorCard key={connector.id} connector={connector} withAccount={accountId === null} />
        ))}
      </div>
    </Radio.Group>
  )
}

/** @param props.withAccount shows its account, if connectors of several are listed */
function ConnectorCard({ connector, withAccount }: { connector: ConnectorRow; withAccount: boolean }) {
  const { t } = useTranslation()
  const tone =
    connector.state === 'error'
      ? 'error'
      : connector.state === 'connected' || connector.state === 'listening'
        ? 'ok'
        : 'unknown'
  return (
    <Radio.Card value={String(connector.id)} className={classes.card ?? ''}>
      <span className={classes.cardTitle}>
        <Radio.Indicator size="xs" />
        {connector.name}
      </span>
      <span className={classes.cardText}>
        {t(`connectors.kind.${connector.kind}.name`)} ·{' '}
        {t('devices.wizard.deviceCount', { count: connector.deviceCount })}
        {withAccount ? ` · ${connector.accountName}` : ''}
      </span>
      <span>
        <StatusBadge tone={tone} label={t(`connectors.state.${connector.state}`)} />
      </span>
    </Radio.Card>
  )
}

function CreateConnector({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation()
  const can = useCan()
  if (!can('all', 'manage'))
    return (
      <Text size="sm" c="dimmed">
        {t('devices.wizard.connectorByAdmin')}
      </Text>
    )
  return (
    <Button variant="default" leftSection={<Icon of={IconPlus} size={16} />} onClick={onCreate}>
      {t('connectors.create')}
    </Button>
  )
}
