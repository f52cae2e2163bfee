import { Alert, Button, Group, Text } from '@mantine/core'
import { IconArrowBackUp, IconInfoCircle } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan } from '../../../lib/session.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import type { Driver } from '../queries.ts'
import { PublishDialog } from './PublishDialog.tsx'
import { deliveredVersion } from './shown.ts'

const pathOf = ({ id }: Driver) => `/virtual-device-drivers/${id}`

/** Which version is shown, when it is not both the latest and the one in use. */
export function VersionNote({ driver }: { driver: Driver }) {
  const { t } = useTranslation()
  const { number, publishedVersion, latestVersion } = driver
  if (publishedVersion === null || (number === publishedVersion && number === latestVersion)) return null
  const isRunning = number === publishedVersion
  return (
    <Alert variant="light" color={isRunning ? 'gray' : 'yellow'} icon={<Icon of={IconInfoCircle} />}>
      {t(isRunning ? 'drivers.versions.runningShown' : 'drivers.versions.otherShown', {
        number,
        running: publishedVersion,
        latest: latestVersion,
      })}{' '}
      <RouterLink
        to={`${pathOf(driver)}?version=${isRunning ? latestVersion : publishedVersion}`}
        underline="always"
      >
        {t('drivers.versions.show', { number: isRunning ? latestVersion : publishedVersion })}
      </RouterLink>
    </Alert>
  )
}

/** A delivered driver that was changed here: what differs, and the way back. */
export function ModifiedNote({ driver }: { driver: Driver }) {
  const { t } = useTranslation()
  const can = useCan()
  const [asked, setAsked] = useState<number | null>(null)
  if (!driver.modified) return null
  const origin = deliveredVersion(driver)
  return (
    <Alert
      variant="light"
      color="yellow"
      icon={<Icon of={IconInfoCircle} />}
      title={t('drivers.modifiedTitle')}
    >
      <Text size="sm">
        {t(origin === null ? 'drivers.modifiedText' : 'drivers.modifiedFrom', {
          number: driver.publishedVersion ?? 0,
          origin: origin ?? 0,
        })}
      </Text>
      {origin === null ? null : (
        <Group gap="md" mt="xs">
          <RouterLink to={`${pathOf(driver)}?tab=versions`} size="sm">
            {t('drivers.modifiedDiff')}
          </RouterLink>
          {driver.editable && can('DeviceDriver', 'manage') ? (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<Icon of={IconArrowBackUp} size={14} />}
              onClick={() => setAsked(origin)}
            >
              {t('drivers.modifiedBack', { number: origin })}
            </Button>
          ) : null}
        </Group>
      )}
      <PublishDialog driver={driver} number={asked} onClose={() => setAsked(null)} />
    </Alert>
  )
}
