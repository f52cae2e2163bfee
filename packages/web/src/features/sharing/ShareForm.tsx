import { type Share, ShareOrigin, shareOriginsMax, sharePasswordMin } from '@leitstand/contract/sharing'
import { Checkbox, PasswordInput, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { DateTimeField } from '../../ui/forms/DateTimeField.tsx'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import { type ShareValues, settingsOf, valuesOf } from './values.ts'

interface ShareFormProps {
  /** null creates one */
  share: Share | null
  save: (settings: ReturnType<typeof settingsOf>) => Promise<unknown>
  onSaved: (share: Share) => void
  onClose: () => void
}

/** End, password and embedding web sites of a link. */
export function ShareForm({ share, save, onSaved, onClose }: ShareFormProps) {
  const { t } = useTranslation()
  const faultsOf = ({ origins, password, withPassword, keepsPassword }: ShareValues) => ({
    ...(origins.every((origin) => ShareOrigin.safeParse(origin).success)
      ? {}
      : { origins: t('sharing.faults.origins') }),
    ...(withPassword && !keepsPassword && password.length < sharePasswordMin
      ? { password: t('sharing.faults.password', { count: sharePasswordMin }) }
      : {}),
  })
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => valuesOf(share),
    faultsOf,
    save: async (entered) => (await save(settingsOf(entered))) as Share,
    onMade: onSaved,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t(share ? 'common.save' : 'sharing.create')}>
      <DateTimeField
        label={t('sharing.field.validUntil')}
        placeholder={t('sharing.unlimited')}
        value={values.validUntil}
        onChange={(validUntil) => set({ validUntil })}
        error={faultAt('validUntil')}
      />
      <Stack gap={8}>
        <Checkbox
          label={t('sharing.field.withPassword')}
          checked={values.withPassword}
          onChange={(event) => set({ withPassword: event.currentTarget.checked, keepsPassword: false })}
        />
        {values.withPassword ? (
          <PasswordInput
            label={t('sharing.field.password')}
            description={t('sharing.field.passwordHint')}
            placeholder={values.keepsPassword ? t('sharing.field.passwordKept') : ''}
            autoComplete="new-password"
            maxLength={200}
            value={values.password}
            onChange={(event) => {
              const password = event.currentTarget.value
              set({ password, keepsPassword: password === '' && share?.hasPassword === true })
            }}
            error={faultAt('password')}
          />
        ) : null}
      </Stack>
      <TagInput
        label={t('sharing.field.origins')}
        description={t('sharing.field.originsHint')}
        max={shareOriginsMax}
        value={values.origins}
        onChange={(origins) => set({ origins })}
        error={faultAt('origins')}
      />
    </DialogForm>
  )
}
