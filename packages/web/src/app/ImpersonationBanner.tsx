import { IconEye } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { restoreSelf, useSession } from '../lib/session.ts'
import { Icon } from '../ui/display/Icon.tsx'
import { notifyError } from '../ui/feedback/notify.ts'
import classes from './shell.module.css'

/** Shows which user is being impersonated or looked through, with a button to stop. */
export default function ImpersonationBanner() {
  const { t } = useTranslation()
  const session = useSession()
  const [busy, setBusy] = useState(false)
  if (session.status !== 'user' || session.impersonator === null) return null
  const { user, impersonator, looking } = session
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ') || user.username
  const restore = async () => {
    setBusy(true)
    try {
      await restoreSelf()
    } catch (error) {
      setBusy(false)
      notifyError(error)
    }
  }
  return (
    <section
      className={classes.impersonation}
      aria-label={t(looking ? 'impersonation.lookLabel' : 'impersonation.label')}
    >
      <Icon of={IconEye} />
      <span>
        {t(looking ? 'impersonation.lookText' : 'impersonation.text', {
          name,
          impersonator: impersonator.name,
        })}
      </span>
      <button type="button" className={classes.restore} disabled={busy} onClick={() => void restore()}>
        {t(looking ? 'impersonation.endLook' : 'impersonation.restore')}
      </button>
    </section>
  )
}
