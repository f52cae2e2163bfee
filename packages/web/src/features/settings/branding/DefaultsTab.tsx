import type { BrandSettings } from '@leitstand/contract/branding'
import { Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import fields from '../../../ui/forms/fields.module.css'
import { Section } from '../../../ui/page/Section.tsx'

/** What applies until a user chooses, and where links of the menu lead. */
export function DefaultsTab({ form }: { form: UseFormReturnType<BrandSettings> }) {
  const { t } = useTranslation()
  return (
    <Section title={t('branding.tab.defaults')} description={t('branding.defaultsHint')}>
      <div className={fields.fitted}>
        <Select
          label={t('branding.field.defaultMode')}
          data={(['auto', 'light', 'dark'] as const).map((value) => ({
            value,
            label: t(`branding.mode.${value}`),
          }))}
          allowDeselect={false}
          {...form.getInputProps('defaultMode')}
        />
        <Select
          label={t('branding.field.defaultLanguage')}
          data={[
            { value: 'auto', label: t('branding.mode.auto') },
            { value: 'de', label: t('common.languages.de') },
            { value: 'en', label: t('common.languages.en') },
          ]}
          allowDeselect={false}
          {...form.getInputProps('defaultLanguage')}
        />
        <TextInput
          label={t('branding.field.sidebarIconLink')}
          description={t('branding.sidebarIconHint')}
          type="url"
          {...form.getInputProps('sidebarIconLink')}
        />
        <TextInput
          label={t('branding.field.grafanaUrl')}
          description={t('branding.grafanaHint')}
          type="url"
          {...form.getInputProps('grafanaUrl')}
        />
      </div>
    </Section>
  )
}
