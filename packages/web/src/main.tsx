import '@fontsource-variable/inter'
import './ui/theme/layers.css'
import './ui/theme/global.css'
import './lib/address.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import { startI18n } from './lib/i18n.ts'

const host = document.getElementById('root')
if (!host) throw new Error('The page has no element #root')

// Not awaited at the top level: the bundler would then neither merge chunks nor leave out what is loaded already.
void startI18n().then(() =>
  createRoot(host).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
)
