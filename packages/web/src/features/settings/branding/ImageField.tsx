import { type BrandImageRole, brandLimits, imageRefusals } from '@leitstand/contract/branding'
import { FileInput, Group } from '@mantine/core'
import { IconPhoto, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { describeError } from '../../../lib/errors.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import classes from './branding.module.css'

interface ImageFieldProps {
  role: BrandImageRole
  /** of the image that is set */
  path: string | null
  whose: { id: number; domain: string }
  onChanged: () => Promise<void>
}

/** An image of the brand; stored as soon as it is chosen. */
export function ImageField({ role, path, whose, onChanged }: ImageFieldProps) {
  const { t } = useTranslation()
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const run = async (store: () => Promise<unknown>) => {
    setError(null)
    setBusy(true)
    try {
      await store()
      await onChanged()
    } catch (thrown) {
      const { text, details } = describeError(thrown)
      const reason = imageRefusals.find((each) => each === details.reason)
      setError(reason === undefined ? text : t(`branding.refused.${reason}`))
    } finally {
      setBusy(false)
    }
  }
  const choose = async (file: File | null) => {
    if (!file) return
    if (file.size > brandLimits.imageBytesMax) setError(t('branding.refused.tooManyBytes'))
    else await run(() => client.brand.setImage({ ...whose, role, file }))
  }
  return (
    <Group gap={8} wrap="nowrap" align="flex-start">
      <FileInput
        flex={1}
        label={t(`branding.image.${role}`)}
        description={t(role === 'logo' || role === 'favicon' ? 'branding.squareHint' : 'branding.wideHint')}
        placeholder={t(path ? 'branding.replaceImage' : 'branding.chooseImage')}
        accept="image/png"
        disabled={busy}
        leftSection={path ? <img src={path} alt="" className={classes.image} /> : <Icon of={IconPhoto} />}
        leftSectionWidth={44}
        value={null}
        error={error}
        onChange={(file) => void choose(file)}
      />
      {path ? (
        <div className={classes.beside}>
          <RemoveButton
            icon={IconX}
            size={36}
            label={t('branding.removeImage', { image: t(`branding.image.${role}`) })}
            onClick={() => void run(() => client.brand.removeImage({ ...whose, role }))}
          />
        </div>
      ) : null}
    </Group>
  )
}
