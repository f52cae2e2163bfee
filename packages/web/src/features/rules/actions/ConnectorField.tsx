import type { capabilities } from '@leitstand/contract/bridge'
import { Alert, Select } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'

interface ConnectorFieldProps {
  accountId: number
  /** what the connector must be able to do */
  capability: Extract<(typeof capabilities)[number], 'outgoing' | 'commands'>
  value: number | null
  onChange: (id: number | null) => void
  error: string | null
}

/** Maximum connectors offered. */
const offeredMax = 1000

/** A connector of the account of the rule. */
export function ConnectorField({ accountId, capability, value, onChange, error }: ConnectorFieldProps) {
  const { t } = useTranslation()
  const can = useCan()
  const types = useQuery(api.bridge.types.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
  const kinds = types.data?.items
    .filter(({ capabilities }) => capabilities.includes(capability))
    .map(({ kind }) => kind)
  const list = useQuery(
    api.bridge.list.queryOptions({
      input: { accountIds: [accountId], kinds, limit: offeredMax },
      enabled: kinds !== undefined,
    }),
  )
  if (list.data?.total === 0 && value === null)
    return (
      <Alert
        color="yellow"
        icon={<Icon of={IconPlugConnectedX} />}
        title={t(`rules.noConnector.${capability}`)}
      >
        {t(`rules.noConnectorText.${capability}`)}{' '}
        {can('all', 'manage') ? (
          <RouterLink to="/connectors/create">{t('connectors.create')}</RouterLink>
        ) : null}
      </Alert>
    )
  const items = list.data?.items ?? []
  const known = items.some(({ id }) => id === value)
  return (
    <Select
      label={t('rules.connector')}
      required
      searchable
      data={[
        ...items.map(({ id, name }) => ({ value: String(id), label: name })),
        ...(value === null || known ? [] : [{ value: String(value), label: t('rules.hiddenConnector') }]),
      ]}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      nothingFoundMessage={t('list.nothingMatches')}
      error={error}
    />
  )
}
