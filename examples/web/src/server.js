const http = require('node:http');

const greeting = 'Hello from your folder';

http
  .createServer((request, response) => {
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.end(`${greeting}\n`);
  })
  .listen(8080, () => console.log('listening on 8080'));
