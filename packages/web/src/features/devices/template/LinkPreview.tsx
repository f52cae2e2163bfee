import { Alert, List, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { client } from '../../../lib/api.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { faultText } from '../../jobs/index.ts'

type Preview = Awaited<ReturnType<typeof client.deviceTemplate.previewLink>>

/**
 * Preview of linking a device: why it is not possible, which states are deleted with their history, what is
 * added.
 */
export function LinkPreview({ preview }: { preview: Preview }) {
  const { t } = useTranslation()
  const { faults, dropped, kept, matched, added, rules } = preview
  if (faults.length > 0) {
    return (
      <Alert color="red" variant="light" icon={<Icon of={IconCircleX} />} title={t('templates.cannotLink')}>
        {faults.map(({ code, field = '' }) => (
          <Text key={`${code} ${field}`} size="sm">
            {code === 'DEVICE_TEMPLATE_MISMATCH'
              ? t(`templates.mismatch.${field}`)
              : faultText(t, { code, column: null })}
          </Text>
        ))}
      </Alert>
    )
  }
  return (
    <>
      {dropped.length > 0 ? (
        <Alert
          color="yellow"
          variant="light"
          icon={<Icon of={IconAlertTriangle} />}
          title={t('templates.dropped', { count: dropped.length })}
        >
          <Names of={dropped} />
        </Alert>
      ) : (
        <Text size="sm">{t('templates.nothingDropped')}</Text>
      )}
      <Some of={kept} title={t('templates.keptStates', { count: kept.length })} />
      <Some of={matched} title={t('templates.changedStates', { count: matched.length })} />
      <Some of={added} title={t('templates.addedStates', { count: added.length })} />
      <Some
        of={rules.map(({ title }) => ({ key: title, title }))}
        title={t('templates.addedRules', { count: rules.length })}
      />
    </>
  )
}

interface Named {
  key: string
  title: string
}

/** A titled list; nothing if it is empty. */
function Some({ of: things, title }: { of: readonly Named[]; title: string }) {
  if (things.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={500}>
        {title}
      </Text>
      <Names of={things} />
    </div>
  )
}

const namedMax = 20

function Names({ of: things }: { of: readonly Named[] }) {
  const { t } = useTranslation()
  return (
    <List size="sm">
      {things.slice(0, namedMax).map(({ key, title }) => (
        <List.Item key={key}>{title}</List.Item>
      ))}
      {things.length > namedMax ? (
        <List.Item>{t('drivers.inUseMore', { count: things.length - namedMax })}</List.Item>
      ) : null}
    </List>
  )
}
