import { ActionIcon, Text, TextInput } from '@mantine/core'
import { IconBuilding, IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { accountsAbove, accountTree, findAccounts, openRows } from '../../ui/accounts/accountTree.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import side from '../../ui/page/side.module.css'
import classes from './accounts.module.css'
import { accountPath } from './queries.ts'

const searchFrom = 8
/** Trees up to this size start fully expanded. */
const openUpTo = 30

/** The visible accounts as a tree of links; a large tree expands only the path to the current one. */
export function AccountTree({ current, tab }: { current: number; tab: 'users' | undefined }) {
  const { t } = useTranslation()
  const accounts = useAccounts()
  const items = accounts.data?.items
  const [text, setText] = useState('')
  const [switched, setSwitched] = useState<ReadonlyMap<number, boolean>>(new Map())
  const tree = useMemo(() => accountTree(items ?? []), [items])
  const path = useMemo(
    () => new Set(accountsAbove(items ?? [], current).map(({ id }) => id)),
    [items, current],
  )
  // Scrolls the current account into view when it mounts, not on later scrolling.
  const show = useCallback((row: HTMLElement | null) => row?.scrollIntoView({ block: 'nearest' }), [])
  if (accounts.isLoadingError) return <ErrorText error={accounts.error} />
  if (!items) return <Loading lines={5} />
  const isSearching = text.trim() !== ''
  const isOpen = ({ account, depth }: (typeof tree)[number]) =>
    switched.get(account.id) ??
    (items.length <= openUpTo || depth === 0 || path.has(account.id) || account.id === current)
  const { rows, more } = findAccounts(
    isSearching ? tree : openRows(tree, isOpen),
    text,
    ({ id }) => id === current,
  )
  return (
    <nav className={side.side} aria-label={t('accounts.tree')}>
      {items.length < searchFrom ? null : (
        <TextInput
          className={classes.search ?? ''}
          aria-label={t('list.searchAccount')}
          placeholder={t('list.searchAccount')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <ul className={side.list}>
        {rows.map((row) => {
          const { account, depth, hasChildren } = row
          const above = isSearching ? accountsAbove(items, account.id) : []
          return (
            <li
              key={account.id}
              className={classes.node}
              style={{ paddingLeft: isSearching ? 0 : depth * 14 }}
              ref={account.id === current ? show : null}
            >
              {isSearching || items.length <= searchFrom ? null : hasChildren ? (
                <ActionIcon
                  size={24}
                  aria-expanded={isOpen(row)}
                  aria-label={t('accounts.below', { name: account.name })}
                  onClick={() => setSwitched(new Map(switched).set(account.id, !isOpen(row)))}
                >
                  <Icon of={isOpen(row) ? IconChevronDown : IconChevronRight} size={14} />
                </ActionIcon>
              ) : (
                <span className={classes.leaf} />
              )}
              <RouterLink
                to={accountPath(account.id, tab)}
                className={side.item ?? ''}
                underline="never"
                {...(account.id === current ? { 'aria-current': 'page' as const } : {})}
              >
                <Icon of={IconBuilding} size={16} />
                <span>
                  {account.name}
                  {above.length === 0 ? null : (
                    <span className={classes.above}>{above.map(({ name }) => name).join(' › ')}</span>
                  )}
                </span>
              </RouterLink>
            </li>
          )
        })}
      </ul>
      {rows.length === 0 || more > 0 ? (
        <Text size="sm" c="dimmed" p={8}>
          {rows.length === 0 ? t('list.nothingMatches') : t('list.moreAccounts', { count: more })}
        </Text>
      ) : null}
    </nav>
  )
}
