import { noHealthConfig } from '@leitstand/contract/health'
import { Radio, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { Section } from '../../ui/page/Section.tsx'
import { HealthEditor } from '../drivers/index.ts'
import type { SectionProps } from './templateTabs.tsx'

const prefix = 'health.'

/** Health conditions of the devices: the driver's, or the template's own. */
export function HealthTab({ form, readOnly }: SectionProps) {
  const { t } = useTranslation()
  const { health, driverId, states } = form.getValues()
  const driver = useQuery({
    ...api.devicedrivers.get.queryOptions({ input: { id: Number(driverId ?? 0) } }),
    enabled: driverId !== null,
  })
  // Kept in case the user switches back.
  const [kept, setKept] = useState(health)
  const choose = (source: string) => {
    setKept(health ?? kept)
    form.setFieldValue(
      'health',
      source === 'driver' ? null : (kept ?? driver.data?.health ?? noHealthConfig()),
    )
  }
  const faults = Object.entries(form.errors).filter(([path]) => path.startsWith(prefix))
  const names = [...states.map(({ key }) => key), ...(driver.data?.variables ?? []).map(({ key }) => key)]
  const editor = {
    variables: [...new Set(names)],
    ofDriver: false,
  }
  return (
    <Stack gap="md">
      <Section title={t('templates.tab.health')} description={t('templates.healthText')}>
        <Radio.Group
          aria-label={t('templates.tab.health')}
          value={health === null ? 'driver' : 'own'}
          onChange={choose}
        >
          <Stack gap="xs">
            <Radio
              value="driver"
              label={t('templates.healthOfDriver')}
              description={t('templates.healthOfDriverText')}
              disabled={readOnly}
            />
            <Radio
              value="own"
              label={t('templates.healthOwn')}
              description={t('templates.healthOwnText')}
              disabled={readOnly}
            />
          </Stack>
        </Radio.Group>
      </Section>
      {health === null ? (
        driver.data ? (
          <HealthEditor
            {...editor}
            key="driver"
            value={driver.data.health}
            onChange={() => undefined}
            errors={{}}
            readOnly
          />
        ) : null
      ) : (
        <HealthEditor
          {...editor}
          key="own"
          value={health}
          onChange={(changed) => form.setFieldValue('health', changed)}
          errors={Object.fromEntries(faults.map(([path, error]) => [path.slice(prefix.length), error]))}
          readOnly={readOnly}
        />
      )}
    </Stack>
  )
}
