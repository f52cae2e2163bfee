import type { SmartGroupFilter } from '@leitstand/contract/smartGroups'
import type { TwinFilters } from '@leitstand/contract/twins'
import type { DeviceFilters } from '@leitstand/contract/virtualdevices'
import { ActionIcon, Button, Menu, Text, Tooltip } from '@mantine/core'
import {
  IconBookmark,
  IconBookmarkFilled,
  IconCheck,
  IconDeviceFloppy,
  IconSettings,
  IconStack2,
} from '@tabler/icons-react'
import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan } from '../../lib/session.ts'
import { useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './groups.module.css'
import { deviceFilters, type SavedKind, type SavedView } from './kinds.ts'
import { twinFilters } from './twinFilters.ts'

const ManageFilters = onDemand(() => import('./ManageFilters.tsx'))
const SaveFilter = onDemand(() => import('./SaveFilter.tsx'))
const EditGroup = onDemand(() => import('./smart/EditGroup.tsx'))

/** Saved filters of the device list, for its slot. */
export function SavedFilters({ filter }: { filter: DeviceFilters }) {
  const navigate = useNavigate()
  const can = useCan()
  const [given, setGiven] = useState<SmartGroupFilter>()
  const { favorites: _, ...shared } = filter
  const handOver = can('VirtualDevice', 'manage') ? () => setGiven(shared) : undefined
  return (
    <>
      <SavedViews kind={deviceFilters} filter={filter} {...(handOver ? { onHandOver: handOver } : {})} />
      <Suspense fallback={null}>
        {given ? (
          <EditGroup
            filter={given}
            onClose={() => setGiven(undefined)}
            onCreated={(id) => void navigate({ to: `/virtual-device-groups/${id}` })}
          />
        ) : null}
      </Suspense>
    </>
  )
}

/** Saved filters of the list of twins, for its slot. */
export function SavedTwinFilters({ filter }: { filter: TwinFilters }) {
  return <SavedViews kind={twinFilters} filter={filter} />
}

interface SavedViewsProps {
  kind: SavedKind<object>
  /** what narrows the list now */
  filter: object
  /** makes something for the account of the filter */
  onHandOver?: () => void
}

/**
 * The filters a user saved and those shared with them, next to the list's filters: apply one, save the current one,
 * manage them.
 */
export function SavedViews({ kind, filter, onHandOver }: SavedViewsProps) {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const [dialog, setDialog] = useState<'save' | 'manage'>()
  const { data } = useQuery(kind.options() as UseQueryOptions<{ items: SavedView<object>[] }>)
  const views = data?.items ?? []
  const own = views.filter((view) => view.own)
  const active = views.find((view) => kind.isSame(view.filter, filter))
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
              const address = kind.addressOf(view.filter)
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
                  {view.own ? null : (
                    <Text size="xs" c="dimmed">
                      {t('devices.saved.sharedBy', { name: view.ownerName })}
                    </Text>
                  )}
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
            disabled={own.length === 0}
            onClick={() => setDialog('manage')}
          >
            {t('devices.saved.manage')}
          </Menu.Item>
          {onHandOver ? (
            <Menu.Item leftSection={<Icon of={IconStack2} size={16} />} onClick={onHandOver}>
              {t('smartGroups.fromFilter')}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        {dialog === 'save' ? (
          <SaveFilter kind={kind} filter={filter} onClose={() => setDialog(undefined)} />
        ) : null}
        {dialog === 'manage' ? (
          <ManageFilters
            kind={kind}
            views={own}
            filter={isNarrowed ? filter : undefined}
            onClose={() => setDialog(undefined)}
          />
        ) : null}
      </Suspense>
    </>
  )
}
