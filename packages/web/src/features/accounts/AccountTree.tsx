import { Text, TextInput } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { accountTree, useAccounts } from '../../ui/AccountFilter.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { RouterLink } from '../../ui/RouterLink.tsx'
import classes from './accounts.module.css'
import { accountPath } from './queries.ts'

const searchFrom = 8

/** The accounts the user sees, as a tree of links. */
export function AccountTree({ current, tab }: { current: number; tab: 'users' | undefined }) {
  const { t } = useTranslation()
  const accounts = useAccounts()
  const [text, setText] = useState('')
  if (accounts.isError) return <ErrorText error={accounts.error} />
  if (!accounts.data) return <Loading lines={5} />
  const wanted = text.trim().toLowerCase()
  const shown = accountTree(accounts.data.items).filter(({ account }) =>
    account.name.toLowerCase().includes(wanted),
  )
  return (
    <nav className={classes.side} aria-label={t('accounts.tree')}>
      {accounts.data.items.length < searchFrom ? null : (
        <TextInput
          mb={6}
          aria-label={t('list.searchAccount')}
          placeholder={t('list.searchAccount')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <ul className={classes.list}>
        {shown.map(({ account, depth }) => (
          <li key={account.id} style={{ paddingLeft: wanted ? 0 : depth * 16 }}>
            <RouterLink
              to={accountPath(account.id, tab)}
              className={classes.item ?? ''}
              underline="never"
              {...(account.id === current ? { 'aria-current': 'page' as const } : {})}
            >
              <Icon of={IconBuilding} size={16} />
              {account.name}
            </RouterLink>
          </li>
        ))}
      </ul>
      {shown.length === 0 ? (
        <Text size="sm" c="dimmed" p={8}>
          {t('list.nothingMatches')}
        </Text>
      ) : null}
    </nav>
  )
}
