/** Starts the page: reads the link, then hands over to the app. */
import { ConsoleApp } from "./console-app.ts";
import { bindKeys, bindNetwork } from "./console-page.ts";
import { createPreferences } from "./preferences.ts";
import { openSession } from "./session.ts";

/** Takes the token out of the address bar before anything can copy it from there. */
function readLink() {
  const { session, publicFragment } = openSession(location.hash, sessionStorage);
  history.replaceState(null, "", `${location.pathname}${location.search}${publicFragment}`);
  return session;
}

const app = new ConsoleApp(createPreferences(localStorage, navigator.languages));
bindKeys(
  () => app.focusAsk(),
  () => app.stop(),
);
bindNetwork(() => app.session());
// A link that is opened in this tab only changes the fragment: the page is not loaded again.
addEventListener("hashchange", () => {
  const { token, room } = readLink();
  app.enter(token, room);
});
const { token, room } = readLink();
app.enter(token, room);
