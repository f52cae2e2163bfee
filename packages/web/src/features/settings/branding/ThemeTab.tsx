import {
  type Brand,
  type BrandSettings,
  brandFonts,
  brandImageRoles,
  logoPositions,
} from '@leitstand/contract/branding'
import { Select, Stack, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import fields from '../../../ui/forms/fields.module.css'
import { Section } from '../../../ui/page/Section.tsx'
import { HighlightField } from './HighlightField.tsx'
import { ImageField } from './ImageField.tsx'

interface ThemeTabProps {
  form: UseFormReturnType<BrandSettings>
  images: Brand['images']
  whose: { id: number; domain: string }
  onChanged: () => Promise<void>
}

/** Images, colours and font. */
export function ThemeTab({ form, images, whose, onChanged }: ThemeTabProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <Section title={t('branding.images')} description={t('branding.imagesHint')}>
        <div className={fields.fitted}>
          {brandImageRoles.map((role) => (
            <ImageField key={role} role={role} path={images[role]} whose={whose} onChanged={onChanged} />
          ))}
          <Select
            label={t('branding.field.logoPosition')}
            data={logoPositions.map((value) => ({ value, label: t(`branding.position.${value}`) }))}
            allowDeselect={false}
            {...form.getInputProps('logoPosition')}
          />
          <Switch
            label={t('branding.field.useCustomBackground')}
            {...form.getInputProps('useCustomBackground', { type: 'checkbox' })}
          />
        </div>
      </Section>
      <Section title={t('branding.colours')} description={t('branding.coloursHint')}>
        <div className={fields.fitted}>
          <HighlightField form={form} name="lightHighlight" mode="light" />
          <HighlightField form={form} name="darkHighlight" mode="dark" />
          <HighlightField form={form} name="lightHighlightCustomer" mode="light" />
          <HighlightField form={form} name="darkHighlightCustomer" mode="dark" />
        </div>
      </Section>
      <Section title={t('branding.field.font')}>
        <div className={fields.fitted}>
          <Select
            label={t('branding.field.font')}
            data={brandFonts.map((value) => ({ value, label: t(`branding.font.${value}`) }))}
            allowDeselect={false}
            {...form.getInputProps('font')}
          />
        </div>
      </Section>
    </Stack>
  )
}
