import { Radio, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { accountTree, findAccounts } from '../../ui/accounts/accountTree.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from './create.module.css'

/** Accounts above this number get a search field. */
const searchFrom = 8

/** The account that owns the device. */
export function AccountStep(props: {
  value: string | null
  onChange: (id: string) => void
  missing: boolean
}) {
  const { t } = useTranslation()
  const accounts = useAccounts()
  const [text, setText] = useState('')
  const tree = useMemo(() => accountTree(accounts.data?.items ?? []), [accounts.data])
  if (accounts.isLoadingError)
    return <ErrorState error={accounts.error} onRetry={() => void accounts.refetch()} />
  if (!accounts.data) return <Loading />
  const { items } = accounts.data
  const { rows, more } = findAccounts(tree, text, ({ id }) => String(id) === props.value)
  return (
    <Radio.Group
      label={t('devices.wizard.accountQuestion')}
      description={t('devices.wizard.accountHint')}
      value={props.value}
      onChange={props.onChange}
      error={props.missing ? t('devices.wizard.accountMissing') : undefined}
    >
      {items.length >= searchFrom ? (
        <TextInput
          mt="sm"
          maw={360}
          aria-label={t('list.searchAccount')}
          placeholder={t('list.searchAccount')}
          leftSection={<Icon of={IconSearch} size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : null}
      <div className={classes.rows}>
        {rows.map(({ account, depth }) => (
          <Radio.Card
            key={account.id}
            value={String(account.id)}
            className={classes.row ?? ''}
            style={{ marginLeft: text ? 0 : depth * 20 }}
          >
            <Radio.Indicator size="xs" />
            <span>{account.name}</span>
          </Radio.Card>
        ))}
      </div>
      {rows.length === 0 || more > 0 ? (
        <Text size="sm" c="dimmed" mt="xs">
          {rows.length === 0 ? t('list.nothingMatches') : t('list.moreAccounts', { count: more })}
        </Text>
      ) : null}
    </Radio.Group>
  )
}
