// A provider of OpenID Connect for tests: the certified library `oidc-provider` with clients and people of the tests.
// Prints its address, and runs until its standard input ends.
import {createServer} from 'node:http';
import Provider from 'oidc-provider';

const {clients, people} = JSON.parse(process.argv[2]);
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients,
    pkce: {required: () => true},
    scopes: ['openid', 'groups'],
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    findAccount: (_, id) => ({accountId: id, claims: () => ({sub: id, ...people[id]})}),
    features: {rpInitiatedLogout: {enabled: true}},
    cookies: {keys: ['a key of the tests']},
  });
  server.on('request', provider.callback());
  console.log(issuer);
});
process.stdin.on('end', () => process.exit()).resume();
