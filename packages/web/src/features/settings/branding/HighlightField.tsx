import { highlightContrast } from '@leitstand/contract/brandColours'
import type { BrandSettings } from '@leitstand/contract/branding'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { ColourInput } from '../../../ui/forms/ColourInput.tsx'
import { accentFrom } from '../../../ui/theme/accent.ts'

interface HighlightFieldProps {
  form: UseFormReturnType<BrandSettings>
  name: 'lightHighlight' | 'darkHighlight' | 'lightHighlightCustomer' | 'darkHighlightCustomer'
  mode: 'light' | 'dark'
}

/** A highlight colour, with what its contrast means for those who read. */
export function HighlightField({ form, name, mode }: HighlightFieldProps) {
  const { t } = useTranslation()
  const value = form.values[name] ?? ''
  const found = highlightContrast(value, mode)
  const text = found
    ? t(`branding.contrast.${found.verdict}`, {
        ratio: formatNumber(Math.round(found.ratio * 10) / 10),
        shade: accentFrom(value)?.[mode].strong ?? value,
      })
    : t('branding.contrast.none')
  return (
    <ColourInput
      label={t(`branding.field.${name}`)}
      description={text}
      placeholder={t('branding.colourOfPlatform')}
      swatches={['#0b7285', '#1864ab', '#6741d9', '#a61e4d', '#b8460b', '#2b6e3f', '#3bc9db', '#ffa94d']}
      swatchesPerRow={8}
      value={value}
      onChange={(colour) => form.setFieldValue(name, colour === '' ? null : colour)}
      error={form.errors[name]}
    />
  )
}
