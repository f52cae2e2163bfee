import { Alert } from '@mantine/core'
import { IconCode, IconCopy, IconInfoCircle, IconJson, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../ui/forms/useSyncedForm.ts'
import { MoreMenu } from '../../ui/page/ActionMenu.tsx'
import { DetailPage } from '../../ui/page/DetailPage.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { UsedBy } from '../objects/index.ts'
import { DeleteDriver } from './DeleteDriver.tsx'
import { DevicesTab } from './DevicesTab.tsx'
import { OriginBadge } from './DriversPage.tsx'
import { driverTabs } from './driverTabs.tsx'
import { UpdateNote } from './library/UpdateNote.tsx'
import { type Driver, invalidateDrivers } from './queries.ts'
import { newRelease, ReleaseFields } from './save/ReleaseFields.tsx'
import { useSaveQuestions } from './save/useSaveQuestions.tsx'
import {
  alikeNames,
  checkDriver,
  type DriverValues,
  makesVersion,
  toInput,
  toJson,
  toValues,
} from './values.ts'
import { ModifiedNote, VersionNote } from './versions/Notes.tsx'
import { VersionsTab } from './versions/VersionsTab.tsx'

/** Edits a stored driver: one form over several tabs; a changed script creates a new version. */
export function EditDriver({ driver }: { driver: Driver }) {
  const { t } = useTranslation()
  const can = useCan()
  const cache = useQueryClient()
  const [, update] = useUrlSearch()
  const form = useCheckedForm<DriverValues>({
    initialValues: toValues(driver),
    validate: checkDriver,
  })
  const { version, accept } = useSyncedForm(form, driver, toValues)
  const questions = useSaveQuestions()
  const [release, setRelease] = useState(newRelease)
  const isVersion = makesVersion(form.getValues(), driver)
  const save = async (values: DriverValues) => {
    const versioned = makesVersion(values, driver)
    const alike = versioned ? alikeNames(values) : []
    if (alike.length > 0 && !(await questions.askAlike(alike))) return false
    const input = {
      id: driver.id,
      version,
      number: driver.number,
      ...toInput(values, driver.specs),
      ...(versioned ? release : newRelease),
    }
    const saved = await questions.storing((acceptGolden) =>
      client.devicedrivers.update({ ...input, acceptGolden, acceptAlike: alike.length > 0 }),
    )
    if (!saved) return false
    accept(saved)
    setRelease(newRelease)
    const { id, number } = saved
    const inputs = number === saved.latestVersion ? [{ id }, { id, number }] : [{ id, number }]
    for (const of of inputs) cache.setQueryData(api.devicedrivers.get.queryKey({ input: of }), saved)
    if (number !== driver.number) update({ version: undefined })
    const text = !versioned
      ? 'drivers.savedNote'
      : release.publish
        ? 'drivers.publishedNote'
        : 'drivers.versionNote'
    notifySuccess(t(text, { number: saved.latestVersion }))
    await invalidateDrivers(cache)
    return true
  }
  return (
    <>
      <FormLayout
        form={form}
        onSave={save}
        onCancel={() => {
          form.reset()
          setRelease(newRelease)
        }}
        acrossTabs
        {...(isVersion && release.publish ? { saveLabel: t('drivers.save.publish') } : {})}
        saveFields={
          isVersion ? (
            <ReleaseFields number={driver.latestVersion + 1} value={release} onChange={setRelease} />
          ) : null
        }
      >
        <DetailPage
          icon={IconCode}
          title={driver.title}
          overline={[driver.manufacturer, driver.model].filter(Boolean).join(' · ')}
          badges={driver.delivered ? <DeliveredBadges driver={driver} /> : undefined}
          actions={<Actions driver={driver} values={form.getValues()} />}
          facts={factsOf(driver, t)}
          notice={
            <>
              {driver.editable ? null : <ReadOnlyNote driver={driver} />}
              <VersionNote driver={driver} />
              <ModifiedNote driver={driver} />
              {driver.outdatedAccounts > 0 ? <WaitingNote driver={driver} /> : null}
            </>
          }
          tabs={[
            ...driverTabs({
              form,
              t,
              driverId: driver.id,
              number: driver.number,
              hasToken: driver.hasParserSecret,
              readOnly: !driver.editable,
            }),
            {
              key: 'versions',
              label: t('drivers.tab.versions'),
              count: driver.versions.length,
              content: <VersionsTab driver={driver} />,
            },
            {
              key: 'devices',
              label: t('drivers.tab.devices'),
              count: driver.deviceCount,
              hidden: !(can('VirtualDevice', 'read') || can('VirtualDevice', 'manage')),
              content: <DevicesTab driverId={driver.id} />,
            },
            {
              key: 'uses',
              label: t('uses.title'),
              content: (
                <UsedBy
                  of="driver"
                  id={driver.id}
                  lists={{ virtualDevice: `/virtual-device-drivers/${driver.id}?tab=devices` }}
                />
              ),
            },
          ]}
        />
      </FormLayout>
      {questions.dialogs}
    </>
  )
}

function DeliveredBadges({ driver }: { driver: Driver }) {
  return (
    <>
      <OriginBadge driver={driver} />
      <UpdateNote driverId={driver.id} />
    </>
  )
}

function ReadOnlyNote({ driver }: { driver: Driver }) {
  const { t } = useTranslation()
  return (
    <Alert variant="light" color="gray" icon={<Icon of={IconInfoCircle} />}>
      {t(driver.delivered ? 'drivers.deliveredNote' : 'drivers.foreignNote')}{' '}
      <RouterLink to={`/virtual-device-drivers/new?copy=${driver.id}`}>{t('drivers.copy')}</RouterLink>
    </Alert>
  )
}

/** Note that a published version awaits acceptance by the user's accounts. */
function WaitingNote({ driver }: { driver: Driver }) {
  const { t } = useTranslation()
  return (
    <Alert variant="light" color="yellow" icon={<Icon of={IconInfoCircle} />}>
      {t('drivers.accepted.note', { number: driver.publishedVersion ?? 0, count: driver.outdatedAccounts })}{' '}
      <RouterLink to={`/virtual-device-drivers/${driver.id}?tab=versions`} underline="always">
        {t('drivers.accepted.lookAt')}
      </RouterLink>
    </Alert>
  )
}

function factsOf(driver: Driver, t: TFunction) {
  return [
    {
      label: t('drivers.field.published'),
      value: driver.publishedVersion === null ? t('drivers.unpublished') : `v${driver.publishedVersion}`,
    },
    { label: t('drivers.field.latest'), value: `v${driver.latestVersion}` },
    {
      label: t('drivers.field.devices'),
      value:
        driver.deviceCount === 0 ? (
          '0'
        ) : (
          <RouterLink to={`/virtual-devices?driver=${driver.id}`}>
            {formatNumber(driver.deviceCount, 0)}
          </RouterLink>
        ),
    },
    { label: t('drivers.field.visibility'), value: t(`drivers.visibility.${driver.visibility}`) },
    { label: t('drivers.field.account'), value: driver.accountName },
    { label: t('drivers.field.updatedAt'), value: <RelativeTime time={driver.updatedAt} /> },
    { label: t('drivers.field.id'), value: driver.id },
  ]
}

function Actions({ driver, values }: { driver: Driver; values: DriverValues }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const copyJson = async () => {
    try {
      await navigator.clipboard.writeText(toJson(values))
      notifySuccess(t('drivers.jsonCopied'))
    } catch (error) {
      notifyError(error, t('common.copyFailed'))
    }
  }
  return (
    <>
      <MoreMenu
        actions={[
          {
            label: t('drivers.copy'),
            icon: IconCopy,
            onClick: () =>
              void navigate({ to: '/virtual-device-drivers/new', search: { copy: String(driver.id) } }),
          },
          { label: t('drivers.copyJson'), icon: IconJson, onClick: () => void copyJson() },
          {
            label: t('drivers.delete'),
            icon: IconTrash,
            onClick: () => setDeleting(true),
            danger: true,
            hidden: !driver.editable,
          },
        ]}
      />
      <DeleteDriver
        driver={deleting ? driver : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate({ to: '/virtual-device-drivers' })}
      />
    </>
  )
}
