import { Button, Checkbox, Popover, ScrollArea, Stack, Text, TextInput } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { Icon } from '../display/Icon.tsx'
import classes from '../list/list.module.css'
import { accountTree, findAccounts } from './accountTree.ts'

/** Accounts visible to the user; cached for half an hour. */
export function useAccounts() {
  return useQuery(api.tenant.fetchAll.queryOptions({ staleTime: 30 * 60_000 }))
}

/** Filters a list by accounts. Hidden for users who see only one. */
export function AccountFilter({
  value,
  onChange,
}: {
  value: readonly number[]
  onChange: (ids: number[]) => void
}) {
  const { t } = useTranslation()
  const { data } = useAccounts()
  const [text, setText] = useState('')
  const accounts = data?.items ?? []
  const tree = useMemo(() => accountTree(data?.items ?? []), [data])
  if (accounts.length < 2) return null
  const { rows, more } = findAccounts(tree, text, ({ id }) => value.includes(id))
  const only = value.length === 1 ? accounts.find((account) => account.id === value[0])?.name : undefined
  return (
    <Popover position="bottom-start" width={300} trapFocus withinPortal>
      <Popover.Target>
        <Button
          variant={value.length > 0 ? 'light' : 'default'}
          color={value.length > 0 ? 'accent' : 'gray'}
          size="compact-md"
          className={classes.chip}
          leftSection={<Icon of={IconBuilding} size={14} />}
          rightSection={value.length > 1 ? <span className={classes.count}>{value.length}</span> : undefined}
        >
          {only ?? t('list.accounts')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <TextInput
            aria-label={t('list.searchAccount')}
            placeholder={t('list.searchAccount')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
          />
          <ScrollArea.Autosize mah={280} type="auto">
            <Stack gap={8} py={4}>
              {rows.map(({ account, depth }) => (
                <Checkbox
                  key={account.id}
                  size="sm"
                  ml={text ? 0 : depth * 18}
                  label={account.name}
                  checked={value.includes(account.id)}
                  onChange={(event) =>
                    onChange(
                      event.currentTarget.checked
                        ? [...value, account.id]
                        : value.filter((id) => id !== account.id),
                    )
                  }
                />
              ))}
              {rows.length === 0 || more > 0 ? (
                <Text size="sm" c="dimmed">
                  {rows.length === 0 ? t('list.nothingMatches') : t('list.moreAccounts', { count: more })}
                </Text>
              ) : null}
            </Stack>
          </ScrollArea.Autosize>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
