import { receivingKinds } from '@leitstand/contract/connectors/kinds/names'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'

interface ConnectorPickerProps {
  /** account whose connectors are offered; null: none until one is selected */
  accountId: number | null
  value: string | null
  onChange: (id: string | null) => void
  disabled?: boolean
  description?: ReactNode
  error?: ReactNode
}

/** Selects the connector of a template's devices. */
export function ConnectorPicker({ accountId, disabled, description, ...field }: ConnectorPickerProps) {
  const { t } = useTranslation()
  const list = (input: { limit: number; search?: string }) =>
    client.bridge.list({
      ...input,
      kinds: receivingKinds,
      accountIds: accountId === null ? [] : [accountId],
    })
  return (
    <EntityPicker
      key={accountId}
      {...field}
      label={t('devices.field.connector')}
      description={
        description ?? t(accountId === null ? 'templates.accountFirst' : 'templates.connectorHint')
      }
      nothing={t('templates.noConnector')}
      required
      disabled={disabled === true || accountId === null}
      load={async (search) => {
        if (accountId === null) return []
        const { items } = await list({ limit: 20, ...(search ? { search } : {}) })
        return items.map(({ id, name }) => ({ value: String(id), label: name }))
      }}
      labelOf={async (id) =>
        (await list({ limit: 1000 })).items.find((connector) => String(connector.id) === id)?.name ?? id
      }
    />
  )
}
