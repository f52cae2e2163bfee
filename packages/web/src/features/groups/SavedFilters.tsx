import type { DeviceFilters } from '@leitstand/contract/virtualdevices'
import { ActionIcon, Button, Menu, Text, Tooltip } from '@mantine/core'
import {
  IconBookmark,
  IconBookmarkFilled,
  IconCheck,
  IconDeviceFloppy,
  IconSettings,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './groups.module.css'
import { addressOf, isSameFilter } from './saved.ts'

const ManageFilters = onDemand(() => import('./ManageFilters.tsx'))
const SaveFilter = onDemand(() => import('./SaveFilter.tsx'))

/** Maximum per user (`viewsMax` of the contract, not imported to keep its schemas out of this screen). */
const listedMax = 100

/** The user's saved filters, next to the list's filters: apply one, save the current one, manage them. */
export function SavedFilters({ filter }: { filter: DeviceFilters }) {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const [dialog, setDialog] = useState<'save' | 'manage'>()
  const { data } = useQuery(api.view.list.queryOptions({ input: { limit: listedMax } }))
  const views = data?.items ?? []
  const active = views.find((view) => isSameFilter(view.filter, filter))
  const isNarrowed = Object.keys(filter).length > 0
  return (
    <>
      <Menu position="bottom-start" width={300} withinPortal={false}>
        <Menu.Target>
          {active ? (
            <Button
              variant="light"
              size="compact-md"
              className={classes.savedFilters}
              leftSection={<Icon of={IconBookmarkFilled} size={14} />}
            >
              <span className={classes.savedTitle}>{active.title}</span>
            </Button>
          ) : (
            <Tooltip label={t('devices.saved.title')}>
              <ActionIcon size={34} variant="default" aria-label={t('devices.saved.title')}>
                <Icon of={IconBookmark} size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </Menu.Target>
        <Menu.Dropdown className={classes.savedMenu}>
          {views.length > 0 ? (
            views.map((view) => {
              const address = addressOf(view.filter)
              return (
                <Menu.Item
                  key={view.id}
                  disabled={address === null}
                  onClick={() => address && update(address, { push: true })}
                  rightSection={view === active ? <Icon of={IconCheck} size={16} /> : null}
                >
                  {view.title}
                  {address === null ? (
                    <Text size="xs" c="dimmed">
                      {t('devices.saved.notHere')}
                    </Text>
                  ) : null}
                </Menu.Item>
              )
            })
          ) : (
            <Menu.Label>{t('devices.saved.none')}</Menu.Label>
          )}
          <Menu.Divider />
          <Menu.Item
            leftSection={<Icon of={IconDeviceFloppy} size={16} />}
            disabled={!isNarrowed || active !== undefined}
            onClick={() => setDialog('save')}
          >
            {t('devices.saved.save')}
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon of={IconSettings} size={16} />}
            disabled={views.length === 0}
            onClick={() => setDialog('manage')}
          >
            {t('devices.saved.manage')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        {dialog === 'save' ? <SaveFilter filter={filter} onClose={() => setDialog(undefined)} /> : null}
        {dialog === 'manage' ? (
          <ManageFilters
            views={views}
            filter={isNarrowed ? filter : undefined}
            onClose={() => setDialog(undefined)}
          />
        ) : null}
      </Suspense>
    </>
  )
}
