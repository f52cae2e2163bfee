import { useMatches } from '@tanstack/react-router'
import { Suspense } from 'react'
import { ConsentDialog as loadConsentDialog } from '../features/people/screens.ts'
import { loadAllTexts } from '../lib/i18n.ts'
import { onDemand } from '../lib/onDemand.ts'
import { useSession } from '../lib/session.ts'

const ConsentDialog = onDemand(async () => {
  await loadAllTexts()
  return loadConsentDialog()
})

/**
 * Requires consent to the terms of use on every screen that needs sign-in. Skipped while impersonating: the
 * server does not require it then.
 */
export function ConsentGate() {
  const session = useSession()
  const needsSignIn = useMatches({
    select: (matches) =>
      matches.some(({ staticData }) => staticData.screen && staticData.screen.rule !== 'public'),
  })
  if (session.status !== 'user' || !session.needsConsent || session.needsTwoFactor || !needsSignIn)
    return null
  return (
    <Suspense>
      <ConsentDialog accountId={session.user.accountId} />
    </Suspense>
  )
}
